// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Writes records: a kind, a length, and parts of natural width behind it.
struct HandoverWriter {
    private(set) var bytes: [UInt8] = []

    mutating func record(_ kind: HandoverRecord, _ write: (inout HandoverWriter) -> Void) {
        append(kind.rawValue)
        let place = bytes.count
        append(UInt32(0))
        write(&self)
        let length = UInt32(bytes.count - place - 4)
        for index in 0..<4 {
            bytes[place + index] = UInt8(truncatingIfNeeded: length >> (8 * index))
        }
    }

    mutating func append(_ value: some FixedWidthInteger & UnsignedInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ block: [UInt8]) {
        append(UInt32(block.count))
        bytes.append(contentsOf: block)
    }

    mutating func append(_ text: String) {
        append(UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ session: SessionID) {
        append(session.high)
        append(session.low)
    }

    /// The first flag is the lowest bit.
    mutating func append(flags: Bool...) {
        append(flags.reversed().reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) })
    }
}
