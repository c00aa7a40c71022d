// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSimulator
import CascadeWire

/// The broker's effects.
extension ModelWorld: BrokerHost {
    mutating func send(_ header: Header, to peer: PeerID) {
        if header.command == .outcome {
            end(header, [])
        }
    }

    mutating func send(_ message: [UInt8], to peer: PeerID) {
        heard(message)
    }

    mutating func forward(_ sent: Forward) {
        if let fault = payloads.send(sent) {
            result.surprises.append(fault)
        }
        forward(Content(sent.payload), sent.header, to: sent.peer, sent.itinerary)
    }

    mutating func disconnect(_ peer: PeerID) {}

    mutating func persist(_ entry: JournalEntry) {}

    mutating func log(_ entry: LogEntry) {}

    private mutating func forward(
        _ content: Content, _ header: Header, to peer: PeerID, _ itinerary: Itinerary?
    ) {
        switch header.command {
        case .visit: visited(header, content, peer, itinerary)
        case .delivery: delivered(header, content, peer, itinerary)
        default:
            if header.flags.contains(.carriesReply) {
                result.reply = content.facts.subtracting(.attribute)
            }
            end(header, content.fields)
        }
    }

    private mutating func end(_ header: Header, _ fields: [UInt8]) {
        if result.ended != nil {
            result.surprises.append("a second outcome")
        }
        result.ended = try? OutcomeMessage(header: header, fields: FieldReader(fields))
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
