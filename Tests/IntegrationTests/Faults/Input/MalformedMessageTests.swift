// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite struct MalformedMessageTests {
        @Test func `a malformed message ends the session, and the error names the fault`() throws {
            var beyond = Header(.query, id: 1, code: 2)
            beyond.fieldsLength = 1
            var farBeyond = beyond
            farBeyond.fieldsLength = .max
            var unknown = Header(.beat).encoded()
            unknown[0] = 200
            let offences = [
                Offence(.malformed, "0 bytes", []),
                Offence(.malformed, "10 bytes", [UInt8](repeating: 1, count: 10)),
                Offence(.malformed, "47 bytes", Array(Header(.beat).encoded().dropLast())),
                Offence(.unknownCommand, "200", unknown),
                Offence(.malformed, "1 bytes of fields", beyond.encoded()),
                Offence(.malformed, "4294967295 bytes of fields", farBeyond.encoded()),
            ]
            try commit(offences)
        }

        @Test func `an unknown number ends the session, and the error names it`() throws {
            let name = RaisedFields(name: EventName("Order")).fields
            var trigger = Header.trigger(1)
            trigger.code = 7
            let publish = Header(.publish, flags: .addressedInFields, sequence: 1, code: 9)
            let offences = [
                Offence(.malformed, "verdict 9", Header(.verdict, id: 1, code: 9)),
                Offence(.malformed, "lane 7", trigger, name),
                Offence(.malformed, "destination 9", publish, name),
                Offence(.malformed, "name 77", Header(.trigger, name: 77, sequence: 1)),
                Offence(.malformed, "event 0", Header.trigger(0), name),
            ]
            try commit(offences)
        }

        @Test func `a malformed field ends the session, and the error names it`() throws {
            let attach = Header(.attach, id: 1)
            let path = [UInt8].field(.path, Array("/kitchen".utf8))
            func node(_ field: [UInt8]) -> [UInt8] {
                .field(.node, path + field)
            }
            let offences = [
                Offence(.malformed, "3 bytes follow", attach, [1, 2, 3]),
                Offence(
                    .malformed, "a length of 4294967295 bytes", attach,
                    .field(number: 16, announcing: .max, path)),
                Offence(
                    .malformed, "a length of 9 bytes", attach,
                    .field(number: 16, announcing: 9, [])),
                Offence(.malformed, "has no node", attach),
                Offence(.malformed, "has no path", attach, .field(.node, [])),
                Offence(.malformed, "responder 99", attach, node(.field(.responder, [99, 0, 0]))),
                Offence(.malformed, "'responder' ends", attach, node(.field(.responder, [1, 9]))),
                Offence(
                    .malformed, "'concurrency' has 3", attach,
                    node(.field(.concurrency, [1, 0, 0]))),
                Offence(
                    .malformed, "concurrency of 0", attach, node(.field(.concurrency, [0, 0]))),
                Offence(.malformed, "UTF-8", attach, .field(.name, [0x4F, 0xFF, 0xFE])),
                Offence(.malformed, "UTF-8", attach, .field(.node, .field(.path, [0x2F, 0xC0]))),
                Offence(.malformed, "no path", Header(.activate, id: 1)),
                Offence(.malformed, "no name", Header(.query, id: 1, code: 3)),
            ]
            try commit(offences)
        }

        @Test func `a command of the daemon ends the session of a worker that sends it`() throws {
            let daemons: [Command] = [
                .welcome, .attached, .detached, .refused, .violation, .define, .done, .visit,
                .outcome, .delivery, .answer,
            ]
            try commit(daemons.map { Offence(.malformed, "'\($0)'", Header($0)) })
        }

        @Test func `a second, malformed or missing greeting ends the session`() throws {
            let hello = Hello(session: .random(), program: "raw peer", processID: 1)
            try commit([Offence(.alreadyGreeted, "greeted already", hello.encoded())])
            let workers: [Command] = [
                .attach, .change, .leave, .beat, .credit, .trigger, .accept, .verdict, .publish,
                .query, .activate,
            ]
            let early = workers.map { Offence(.greetingRequired, "'\($0)'", Header($0)) }
            let name = [UInt8].field(.protocolName, Array("cascade".utf8))
            let greetings = [
                Offence(.malformed, "protocol 'cascade'", Header(.hello)),
                Offence(.malformed, "no session", Header(.hello), name),
                Offence(
                    .malformed, "'versionMin' has 1", Header(.hello), .field(.versionMin, [1])),
                Offence(.malformed, "UTF-8", Header(.hello), .field(.program, [0xFF])),
            ]
            try commit(early + greetings, isGreeted: false)
        }

        @Test func `reserved flags, unknown fields and the greatest numbers are ignored`() throws {
            try FaultBus.open { bus in
                let peer = try RawPeer.greeted(bus.endpoint)
                let name = RaisedFields(name: EventName("Order")).fields
                var trigger = Header.trigger(1 << 63, time: .max)
                trigger.flags = HeaderFlags(rawValue: 0b0101_0000)
                (trigger.index, trigger.id, trigger.session) = (.max, .max, .max)
                try peer.send(trigger, fields: name + .field(number: 9999, announcing: 2, [1, 2]))
                let ended = try peer.next(OutcomeMessage.self)
                #expect(ended.sequence == 1 << 63 && ended.code == .unhandled)
                try peer.send(Header.trigger(.max), fields: name)
                #expect(try peer.next(OutcomeMessage.self).sequence == .max)
                // Credit of unknown nodes, and answers to unsent beats.
                try peer.send(Header(.credit, node: 0, code: .max))
                try peer.send(Header(.credit, node: .max - 1, code: .max))
                try peer.send(Header(.beat, id: .max))
                try peer.send(Header(.query, id: 7, code: 99))
                let refused = try peer.next(Refused.self)
                #expect(refused.code == .unknownQuery && refused.request == 7)
                try peer.query()
            }
        }

        @Test func `messages in one multipart message are read one by one`() throws {
            try FaultBus.open { bus in
                let peer = try RawPeer.greeted(bus.endpoint)
                let name = RaisedFields(name: EventName("Order")).fields
                var trigger = Header.trigger(1)
                trigger.fieldsLength = UInt32(name.count)
                try peer.send(
                    trigger.encoded() + name, Query(request: 5, .bus).encoded(), [0],
                    Query(request: 6, .bus).encoded())
                #expect(try peer.next(OutcomeMessage.self).code == .unhandled)
                #expect(try peer.next().header.id == 5)
                #expect(try peer.next(Violation.self).code == .malformed)
                _ = try RawPeer.greeted(bus.endpoint)
            }
        }

        private func commit(_ offences: [Offence], isGreeted: Bool = true) throws {
            try FaultBus.open { bus in
                for offence in offences {
                    try offence.commit(bus, isGreeted: isGreeted)
                }
                let counted = try RawPeer.greeted(bus.endpoint).counter("violations")
                #expect(counted == offences.count)
            }
        }
    }
}
