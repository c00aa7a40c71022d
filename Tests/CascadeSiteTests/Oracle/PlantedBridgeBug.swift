// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A bug of a bridge that the oracle must find, planted into the messages that the bridge sends.
enum PlantedBridgeBug {
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

    static let ofMessages: [Self] = [
        .losesID, .losesOrigin, .losesPayload, .forgetsLane, .losesErrorNodeAbove, .endsPassed,
        .losesHandler, .losesTrail, .losesRecipients, .losesErrorNodeAtHome, .losesReply,
        .losesOutcome,
    ]

    // Publications
    case losesPublicationID
    case losesPublicationPayload
    case losesReach
    case forgetsRetained
    case losesRecipientsBelow
    case losesFailedRecipients
    case losesErrorBelow
    case neverPasses
    case losesLevels
    case losesTurns
    case losesStandIn

    static let ofPublications: [Self] = [
        .losesPublicationID, .losesPublicationPayload, .losesReach, .forgetsRetained,
        .losesRecipientsBelow, .losesFailedRecipients, .losesErrorBelow, .neverPasses,
        .losesLevels, .losesTurns, .losesStandIn,
    ]

    // Values and preferences
    case losesFallback
    case losesValue
    case losesOffer
    case losesReducer

    static let ofEnvironment: [Self] = [.losesFallback, .losesValue, .losesOffer, .losesReducer]

    /// The message that a bridge with the bug sends instead.
    func change(_ message: [UInt8], isUpward: Bool) -> [UInt8] {
        guard let header = try? Header(parsing: message) else {
            return message
        }
        switch header.command {
        case .change: return changedDeclaration(message, isUpward: isUpward)
        case .publish: return changedPublication(message, header)
        case .verdict where isUpward: return changedVerdictAbove(message, header)
        case .trigger where isUpward, .verdict: break
        default: return message
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

    /// The declaration of the mount, if it goes up, or of `/`.
    private func changedDeclaration(_ message: [UInt8], isUpward: Bool) -> [UInt8] {
        guard var change = try? Change(parsing: message) else {
            return message
        }
        switch self {
        case .losesLevels:
            change.declaration.standIns = change.declaration.standIns.map {
                StandIn($0.name, levels: 0, turn: $0.turn)
            }
        case .losesTurns:
            change.declaration.standIns = change.declaration.standIns.map {
                StandIn($0.name, levels: $0.levels)
            }
        case .losesStandIn: _ = change.declaration.standIns.popLast()
        case .losesFallback:
            for index in change.declaration.assignments.settings.indices {
                change.declaration.assignments.settings[index].isFallback = false
            }
        case .losesValue where !isUpward: _ = change.declaration.assignments.settings.popLast()
        case .losesOffer: _ = change.declaration.assignments.offers.popLast()
        case .losesReducer:
            for index in change.declaration.assignments.offers.indices {
                change.declaration.assignments.offers[index].reducer = .first
            }
        default: break
        }
        return change.encoded()
    }

    private func changedPublication(_ message: [UInt8], _ header: Header) -> [UInt8] {
        var header = header
        switch self {
        case .losesPublicationID: return Self.removing(.raisedAs, from: message, header)
        case .losesPublicationPayload: return Self.removingPayload(message, header)
        case .losesReach: header.code = header.code & ~0xFF | Reach.all.rawValue
        case .forgetsRetained: header.flags.remove(.retained)
        default: break
        }
        return header.encoded() + message[Header.byteCount...]
    }

    private func changedVerdictAbove(_ message: [UInt8], _ header: Header) -> [UInt8] {
        var header = header
        switch self {
        case .losesRecipientsBelow: return Self.removing(.recipient, from: message, header)
        case .losesFailedRecipients: return Self.removing(.failedRecipient, from: message, header)
        case .losesErrorBelow: return Self.removing(.errorNode, from: message, header)
        case .neverPasses where header.code == VerdictCode.passed.rawValue:
            header.code = VerdictCode.handled.rawValue
        default: break
        }
        return header.encoded() + message[Header.byteCount...]
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
