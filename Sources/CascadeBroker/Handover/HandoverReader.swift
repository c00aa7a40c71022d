// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Reads what ``HandoverWriter`` wrote, and never past the end of it.
struct HandoverReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool {
        rest.isEmpty
    }

    mutating func integer<Value: FixedWidthInteger & UnsignedInteger>(
        _ type: Value.Type = Value.self
    ) throws(HandoverError) -> Value {
        try take(Value.bitWidth / 8).reversed().reduce(0) { value, byte in
            value << 8 | Value(truncatingIfNeeded: byte)
        }
    }

    mutating func block() throws(HandoverError) -> ArraySlice<UInt8> {
        try take(Int(integer(UInt32.self)))
    }

    mutating func text() throws(HandoverError) -> String {
        guard let text = String(validating: try block(), as: UTF8.self) else {
            throw HandoverError("a text is no UTF-8")
        }
        return text
    }

    mutating func name() throws(HandoverError) -> EventName {
        let text = try text()
        do {
            return try EventName(text)
        } catch {
            throw HandoverError(error.description)
        }
    }

    mutating func path() throws(HandoverError) -> NodePath {
        let text = try text()
        do {
            return try NodePath(text)
        } catch {
            throw HandoverError(error.description)
        }
    }

    mutating func session() throws(HandoverError) -> SessionID {
        SessionID(high: try integer(), low: try integer())
    }

    mutating func instant() throws(HandoverError) -> Instant {
        Instant(nanoseconds: try integer())
    }

    /// The lowest bit first.
    mutating func flags() throws(HandoverError) -> [Bool] {
        let bits: UInt8 = try integer()
        return (0..<8).map { bits >> $0 & 1 == 1 }
    }

    private mutating func take(_ byteCount: Int) throws(HandoverError) -> ArraySlice<UInt8> {
        guard rest.count >= byteCount else {
            throw HandoverError("it ends too early")
        }
        defer { rest = rest.dropFirst(byteCount) }
        return rest.prefix(byteCount)
    }
}
