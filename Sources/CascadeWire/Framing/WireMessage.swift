// SPDX-License-Identifier: Apache-2.0

/// A message with a type of its own, which encodes it as a header and fields and decodes it.
///
/// Frequent messages, such as visits, have no type of their own: they are read and written as a
/// ``Header``.
package protocol WireMessage: Equatable, Sendable {
    static var command: Command { get }

    /// Reads the message. Throws ``WireError`` if a field is missing or invalid.
    init(header: Header, fields: FieldReader) throws(WireError)

    /// The header, without the length of the fields.
    var header: Header { get }

    func write(to fields: inout FieldWriter)
}

extension WireMessage {
    package var header: Header {
        Header(Self.command)
    }

    package func write(to fields: inout FieldWriter) {}

    /// The whole message as bytes.
    package func encoded() -> [UInt8] {
        var fields = FieldWriter.ofMessage
        write(to: &fields)
        return fields.message(header)
    }

    /// Reads a whole message of this type.
    package init(parsing message: [UInt8]) throws(WireError) {
        let header = try Header(parsing: message)
        guard header.command == Self.command else {
            throw WireError("expected '\(Self.command)', but the message is '\(header.command)'")
        }
        try self.init(header: header, fields: header.fields(of: message))
    }
}

// MARK: - Messages as arrays of bytes

extension Header {
    /// Reads the header of a whole message held in an array.
    package init(parsing message: [UInt8]) throws(WireError) {
        let parsed = message.withUnsafeBytes { bytes in
            Result { () throws(WireError) in try Header(parsing: bytes) }
        }
        self = try parsed.get()
    }

    /// The bytes of the header alone.
    package func encoded() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Header.byteCount) { buffer, count in
            write(into: UnsafeMutableRawBufferPointer(buffer))
            count = Header.byteCount
        }
    }

    /// The fields of the whole message that this header begins.
    package func fields(of message: [UInt8]) -> FieldReader {
        FieldReader(message[Header.byteCount..<(Header.byteCount + Int(fieldsLength))])
    }

    /// The payload of the whole message that this header begins.
    package func payload(of message: [UInt8]) -> ArraySlice<UInt8> {
        message[(Header.byteCount + Int(fieldsLength))...]
    }
}

// MARK: - Errors

/// The reason why bytes are not a valid message of the protocol.
@usableFromInline
package struct WireError: Error, Equatable, CustomStringConvertible {
    /// The code of the answer to the sender.
    package let code: ErrorCode

    /// The reason as one sentence for a person; quoted text is escaped.
    @usableFromInline package let description: String

    package init(_ code: ErrorCode, _ description: String) {
        self.code = code
        self.description = description
    }

    /// Creates an error with the code ``ErrorCode/malformed``.
    package init(_ description: String) {
        self.init(.malformed, description)
    }
}
