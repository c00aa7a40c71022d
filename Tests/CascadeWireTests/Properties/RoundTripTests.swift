// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire
import Testing

/// Values from a seeded generator, including edge cases, are decoded as they were encoded.
@Suite struct RoundTripTests {
    /// A type of message, with a check of one random value.
    struct Subject: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: @Sendable (inout SeededGenerator) throws -> Void

        init<Message: WireMessage>(
            _ draw: @escaping @Sendable (inout SeededGenerator) -> Message
        ) {
            testDescription = "\(Message.self)"
            check = { generator in
                let message = draw(&generator)
                let decoded = try Message(parsing: message.encoded())
                #expect(decoded == message)
            }
        }

        static let all = [
            Subject { $0.hello() }, Subject { $0.welcome() }, Subject { $0.attach() },
            Subject { $0.attached() }, Subject { $0.change() }, Subject { $0.leave() },
            Subject { $0.detached() }, Subject { $0.refused() }, Subject { $0.violation() },
            Subject { $0.define() }, Subject { $0.activate() }, Subject { $0.verdict() },
            Subject { $0.ended() }, Subject { $0.query() }, Subject { $0.treeAnswer() },
            Subject { $0.busAnswer() }, Subject { $0.subscribersAnswer() },
            Subject { $0.documentAnswer() }, Subject { $0.moved() }, Subject { $0.administer() },
            Subject { $0.setEnvironment() }, Subject { $0.environmentChanges() },
            Subject { $0.activityAnswer() }, Subject { $0.settled() }, Subject { $0.received() },
        ]
    }

    private let seeds: Range<UInt64> = 0..<200

    @Test(arguments: Subject.all)
    func `a message is decoded as it was encoded`(_ subject: Subject) throws {
        for seed in seeds {
            var generator = SeededGenerator(seed: seed)
            try subject.check(&generator)
        }
    }

    @Test func `a header is decoded as it was encoded, with fields and payload`() throws {
        for seed in seeds {
            var generator = SeededGenerator(seed: seed)
            let raised = generator.raised()
            let payload = generator.bytes(countMax: 100)
            var fields = FieldWriter()
            raised.write(to: &fields)
            var header = generator.header()
            header.fieldsLength = UInt32(fields.bytes.count)
            let message = header.encoded() + fields.bytes + payload
            let decoded = try Header(parsing: message)
            let decodedRaised = try RaisedFields(fields: decoded.fields(of: message))
            #expect(decoded == header)
            #expect(decodedRaised == raised)
            #expect(Array(decoded.payload(of: message)) == payload)
        }
    }

    @Test func `a header written over another replaces it completely`() throws {
        for seed in seeds {
            var generator = SeededGenerator(seed: seed)
            let old = generator.header()
            let new = generator.header()
            var message = old.encoded() + [1, 2, 3]
            message.withUnsafeMutableBytes { new.write(into: $0) }
            #expect(message == new.encoded() + [1, 2, 3])
        }
    }

    @Test func `an itinerary is decoded as it was encoded`() throws {
        for seed in seeds {
            var generator = SeededGenerator(seed: seed)
            let itinerary = generator.itinerary()
            let message = itinerary.encoded()
            let decoded = try Itinerary(parsing: message)
            let header = try Header(parsing: message)
            #expect(decoded == itinerary)
            #expect(header == Header(.itinerary))
            #expect(header.payload(of: message).count == 8 * itinerary.stops.count)
        }
    }

    @Test func `session and event IDs are parsed from their text`() throws {
        for seed in seeds {
            var generator = SeededGenerator(seed: seed)
            let id = EventID(session: generator.sessionID(), sequence: generator.integer())
            #expect(EventID(id.description) == id)
            #expect(SessionID(id.session.description) == id.session)
        }
    }

    @Test func `a lane and its number of causes are decoded, whatever the higher bits`() {
        for seed in seeds {
            var generator = SeededGenerator(seed: seed)
            let code = LaneCode(generator.one(of: Lane.self), causes: generator.integer())
            #expect(LaneCode(rawValue: code.rawValue) == code)
            #expect(LaneCode(rawValue: code.rawValue | 0xFF00_0000) == code)
        }
    }
}
