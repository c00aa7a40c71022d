// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A bug of a bridge that the oracle must find, planted into the messages that the bridge sends.
enum PlantedBridgeBug: CaseIterable {
    case losesID
    case losesOrigin
    case losesPayload
    case forgetsLane
    case losesErrorNodeAbove
    case endsPassed
    case losesHandler
    case losesTrail
    case losesRecipients
    case losesErrorNodeAtHome
    case losesReply
    case losesOutcome

    /// The message that a bridge with the bug sends instead.
    func change(_ message: [UInt8], isUpward: Bool) -> [UInt8] {
        guard let header = try? Header(parsing: message),
            header.command == (isUpward ? .trigger : .verdict)
        else {
            return message
        }
        switch self {
        case .losesID where isUpward: return Self.removing(.raisedAs, from: message, header)
        case .losesOrigin where isUpward: return Self.removing(.origin, from: message, header)
        case .losesPayload where isUpward: return Self.removingPayload(message, header)
        case .losesErrorNodeAbove where isUpward:
            return Self.removing(.errorNode, from: message, header)
        case .forgetsLane where isUpward:
            var header = header
            header.code = LaneCode(.event).rawValue
            return header.encoded() + message[Header.byteCount...]
        case .endsPassed where !isUpward && header.code == VerdictCode.passed.rawValue:
            var header = header
            header.code = VerdictCode.handled.rawValue
            return header.encoded() + message[Header.byteCount...]
        case .losesHandler where !isUpward: return Self.removing(.handler, from: message, header)
        case .losesTrail where !isUpward: return Self.removing(.visited, from: message, header)
        case .losesRecipients where !isUpward:
            return Self.removing(.recipient, from: message, header)
        case .losesErrorNodeAtHome where !isUpward:
            return Self.removing(.errorNode, from: message, header)
        case .losesReply where !isUpward: return Self.removingPayload(message, header)
        case .losesOutcome where !isUpward: return Self.removing(.ended, from: message, header)
        default: return message
        }
    }

    private static func removingPayload(_ message: [UInt8], _ header: Header) -> [UInt8] {
        Array(message.prefix(Header.byteCount + Int(header.fieldsLength)))
    }

    /// A field consists of its tag, in two bytes, its length, in four, and as many bytes.
    private static func removing(
        _ tag: FieldTag, from message: [UInt8], _ header: Header
    ) -> [UInt8] {
        var fields: [UInt8] = []
        var rest = message[Header.byteCount..<(Header.byteCount + Int(header.fieldsLength))]
        while rest.count >= 6 {
            let bytes = Array(rest.prefix(6))
            let number = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
            let length = Int(bytes[2]) | Int(bytes[3]) << 8 | Int(bytes[4]) << 16
            if number != tag.rawValue {
                fields += rest.prefix(6 + length)
            }
            rest = rest.dropFirst(6 + length)
        }
        var header = header
        let payload = message[(Header.byteCount + Int(header.fieldsLength))...]
        header.fieldsLength = UInt32(fields.count)
        return header.encoded() + fields + payload
    }
}
