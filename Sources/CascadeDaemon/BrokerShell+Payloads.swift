// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import ZeroMQ

/// Messages that the broker makes or looks into, which it does not in the steady state.
extension BrokerShell {
    /// Where the message is.
    func slot(of payload: PayloadID) -> UInt32 {
        payload.isComposed ? composed[payload] ?? 0 : payload.rawValue
    }

    mutating func compose(
        _ payload: PayloadID, _ fields: [UInt8], _ bytes: UnsafeRawBufferPointer
    ) {
        let start = Header.byteCount + fields.count
        let slot = store.allocate(byteCount: start + bytes.count)
        let message = store.bytes(slot)
        // Only how long the fields are; the header itself is stamped before the message is sent.
        Header(.visit, fieldsLength: UInt32(fields.count)).write(into: message)
        UnsafeMutableRawBufferPointer(rebasing: message[Header.byteCount..<start])
            .copyBytes(from: fields)
        UnsafeMutableRawBufferPointer(rebasing: message[start...]).copyMemory(from: bytes)
        composed[payload] = slot
    }

    mutating func recompose(_ payload: PayloadID, _ fields: [UInt8], _ source: PayloadID) {
        let message = UnsafeRawBufferPointer(store.bytes(slot(of: source)))
        compose(payload, fields, UnsafeRawBufferPointer(rebasing: message[bodyStart(message)...]))
    }

    mutating func examine(_ payload: PayloadID, for examination: Examination) {
        let message = UnsafeRawBufferPointer(store.bytes(slot(of: payload)))
        let start = bodyStart(message)
        examined.append(
            .examined(
                examination, fields: Array(message[Header.byteCount..<start]),
                payload: Array(message[start...])))
    }

    /// Where a kept message's payload begins.
    private func bodyStart(_ message: UnsafeRawBufferPointer) -> Int {
        let header = try? Header(parsing: message)
        return Header.byteCount + Int(header?.fieldsLength ?? 0)
    }
}
