// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A message in memory of its own.
package final class OwnedPayload: Payload, @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer

    /// A copy of a message.
    package init(_ message: some Collection<UInt8>) {
        memory = .allocate(byteCount: message.count, alignment: 8)
        memory.copyBytes(from: message)
        super.init(UnsafeRawBufferPointer(memory))
    }

    /// A message that the broker makes: the header says no more than how long the fields are, for
    /// another one goes out in its place.
    init(fields: [UInt8], body: some Collection<UInt8>) {
        let start = Header.byteCount + fields.count
        memory = .allocate(byteCount: start + body.count, alignment: 8)
        Header(.visit, fieldsLength: UInt32(fields.count)).write(into: memory)
        UnsafeMutableRawBufferPointer(rebasing: memory[Header.byteCount..<start])
            .copyBytes(from: fields)
        UnsafeMutableRawBufferPointer(rebasing: memory[start...]).copyBytes(from: body)
        super.init(UnsafeRawBufferPointer(memory))
    }

    deinit {
        memory.deallocate()
    }
}
