// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The key of the session's greeting on its way through the gate.
///
/// The daemon believes the field `policyKey` of a greeting from the gate. The gate therefore removes the
/// field from each greeting of a child, and appends one with the child's name.
enum GreetingKey {
    private static let command = Command.hello.rawValue

    /// Whether a frame is a greeting.
    static func isGreeting(_ frame: ArraySlice<UInt8>) -> Bool {
        frame.first == command
    }

    /// Returns a greeting with `child` as its only key. Throws ``LinkFault`` if the frame is not a header
    /// and whole fields, because its reader might find a key where the gate sees none.
    static func replace(
        in frame: ArraySlice<UInt8>, by child: SiteName
    ) throws(LinkFault) -> [UInt8] {
        let message = Array(frame)
        let header: Header
        do throws(WireError) {
            header = try Header(parsing: message)
        } catch {
            throw .malformedGreeting(error.description)
        }
        let end = Header.byteCount + Int(header.fieldsLength)
        guard end == message.count else {
            throw .malformedGreeting("\(message.count - end) bytes follow the fields")
        }
        var fields = FieldWriter()
        fields.append(.policyKey, child.description)
        let kept = try fieldsWithoutKey(message[Header.byteCount...])
        var replaced = header
        replaced.fieldsLength = UInt32(kept.count + fields.bytes.count)
        return replaced.encoded() + kept + fields.bytes
    }

    private static func fieldsWithoutKey(
        _ fields: ArraySlice<UInt8>
    ) throws(LinkFault) -> [UInt8] {
        var kept: [UInt8] = []
        var rest = fields
        while !rest.isEmpty {
            guard rest.count >= fieldHeaderByteCount else {
                throw .malformedGreeting("\(rest.count) bytes follow the last field")
            }
            let tag = UInt16(littleEndianBytes: rest.prefix(2))
            let length = Int(UInt32(littleEndianBytes: rest.dropFirst(2).prefix(4)))
            guard length <= rest.count - fieldHeaderByteCount else {
                throw .malformedGreeting("the field \(tag) states a length of \(length) bytes")
            }
            let field = rest.prefix(fieldHeaderByteCount + length)
            if tag != FieldTag.policyKey.rawValue {
                kept.append(contentsOf: field)
            }
            rest = rest.dropFirst(field.count)
        }
        return kept
    }

    /// The bytes of a field's tag and length.
    private static let fieldHeaderByteCount = 6
}
