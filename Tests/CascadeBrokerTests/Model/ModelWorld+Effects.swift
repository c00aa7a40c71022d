// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// What the broker does, carried out.
extension ModelWorld {
    mutating func perform(_ effect: Effect) {
        switch effect {
        case .stamp(let payload, let header):
            messages[payload]?.header = header
        case .forward(let payload, let peer, let itinerary, let isLast):
            forward(payload, to: peer, itinerary)
            if isLast {
                messages[payload] = nil
            }
        case .compose(let payload, let fields, _):
            messages[payload] = Stored(fields: fields, facts: Self.attributes(fields))
        case .recompose(let payload, let fields, let source):
            let members = messages[source]?.facts.subtracting(.attribute) ?? []
            messages[payload] = Stored(
                fields: fields, facts: members.union(Self.attributes(fields)))
        case .examine(let payload, let examination):
            let stored = messages[payload]
            let bytes = Vocabulary.payload(stored?.facts ?? [])
            examined.append(.examined(examination, fields: stored?.fields ?? [], payload: bytes))
        case .release(let payload):
            if messages.removeValue(forKey: payload) == nil {
                result.surprises.append("a message is released twice")
            }
        case .send(let header, _):
            if header.command == .outcome {
                end(header, [])
            }
        case .sendMessage(let bytes, _): heard(bytes)
        case .unshare, .disconnect, .log, .persist: break
        }
    }

    private static func attributes(_ fields: [UInt8]) -> Model.Facts {
        let raised = try? Raised(fields: FieldReader(fields))
        return raised?.attributes == [Vocabulary.attribute] ? .attribute : []
    }

    private mutating func forward(
        _ payload: PayloadID, to peer: PeerID, _ itinerary: Itinerary?
    ) {
        guard let stored = messages[payload], let header = stored.header else {
            result.surprises.append("a message without a header, or released")
            return
        }
        switch header.command {
        case .visit: visited(header, stored, peer, itinerary)
        case .delivery: delivered(header, stored, peer, itinerary)
        default:
            if header.flags.contains(.carriesReply) {
                result.reply = stored.facts.subtracting(.attribute)
            }
            end(header, stored.fields)
        }
    }

    private mutating func end(_ header: Header, _ fields: [UInt8]) {
        if result.ended != nil {
            result.surprises.append("a second outcome")
        }
        result.ended = try? Ended(header: header, fields: FieldReader(fields))
    }

    private mutating func heard(_ bytes: [UInt8]) {
        guard let header = try? Header(parsing: bytes) else {
            return
        }
        switch header.command {
        case .define: define(bytes)
        case .attached:
            for node in (try? Attached(parsing: bytes))?.nodes ?? [] {
                numbers[Vocabulary.place(node.path)] = node.number
                places[node.number] = Vocabulary.place(node.path)
            }
        case .outcome: end(header, Array(bytes[Header.byteCount...]))
        case .refused, .violation:
            let refused = try? Refused(parsing: bytes)
            let violation = try? Violation(parsing: bytes)
            result.surprises.append(refused?.sentence ?? violation?.sentence ?? "no words")
        default: break
        }
    }

    private mutating func define(_ bytes: [UInt8]) {
        for definition in (try? Define(parsing: bytes))?.definitions ?? [] {
            switch definition {
            case .name(let number, let text):
                let name = Vocabulary.name(text)
                names[number] = name
                if let name {
                    numbersOfNames[name] = number
                }
            case .session(let number, let session):
                if session == .daemon {
                    busSession = number
                }
            case .node: break
            }
        }
    }
}
