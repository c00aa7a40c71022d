// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension ConformanceItem {
    /// Credit, limits and durable events of an origin.
    static let creditItems = [
        ConformanceItem(
            .origin, "waits for credit", "Credit and flow control"
        ) { daemon in
            try daemon.open(credit: 2)
            for number in 1...4 {
                daemon.write("trigger \(number)")
            }
            var messages = [try daemon.expectTrigger("Made", 1)]
            messages.append(try daemon.expectTrigger("Made", 2))
            for _ in 1...3 {
                try daemon.expectQuiet("no 'trigger' without credit")
            }
            for number in 1...4 {
                try daemon.end(messages[number - 1], .handled)
                try daemon.expectLine("outcome trigger \(number) handled /conformance")
                if number <= 2 {
                    messages.append(try daemon.expectTrigger("Made", number + 2))
                }
            }
            try daemon.leave()
        },
        ConformanceItem(
            .origin, "has the credit of a refused event back", "Credit and flow control"
        ) { daemon in
            try daemon.open(credit: 1)
            daemon.write("trigger 1")
            daemon.write("trigger 2")
            try daemon.refuse(try daemon.expectTrigger("Made", 1), .limitReached)
            try daemon.expectLine("refused trigger 1 limitReached")
            try daemon.end(try daemon.expectTrigger("Made", 2), .handled)
            try daemon.expectLine("outcome trigger 2 handled /conformance")
            try daemon.leave()
        },
        ConformanceItem(
            .origin, "takes the credit of unacknowledged events back by 'credit' alone",
            "Credit and flow control"
        ) { daemon in
            try daemon.open(credit: 2)
            daemon.write("emit 1")
            daemon.write("emit 2")
            daemon.write("emit 3")
            _ = try daemon.expectTrigger("Made", 1, flags: .unacknowledged)
            _ = try daemon.expectTrigger("Made", 2, flags: .unacknowledged)
            try daemon.expectQuiet("no 'trigger' without credit")
            daemon.raises.credited(2)
            try daemon.send(Header(.credit, code: 2))
            _ = try daemon.expectTrigger("Made", 3, flags: .unacknowledged)
            try daemon.leave()
        },
        ConformanceItem(
            .origin, "goes on after an event that is longer than messageBytes", "Limits"
        ) { daemon in
            try daemon.open(messageBytes: 100_000)
            daemon.write("large 200000")
            daemon.write("trigger 2")
            // A client may refuse the event itself, or leave that to the daemon.
            var message = try daemon.next(.trigger)
            if message.bytes.count > 100_000 {
                try daemon.refuse(message, .limitReached)
                message = try daemon.expectTrigger("Made", 2)
            }
            try daemon.expectLine("refused large 200000 limitReached")
            try daemon.end(message, .handled)
            try daemon.expectLine("outcome trigger 2 handled /conformance")
            try daemon.leave()
        },
        ConformanceItem(
            .origin, "forgets a durable event when it is accepted, and confirms its end",
            "Durable events"
        ) { daemon in
            try daemon.open(credit: 1)
            daemon.write("durable 1")
            let durable = try daemon.expectTrigger("Kept", 1, flags: .durable)
            try daemon.accept(durable)
            daemon.write("trigger 2")
            try daemon.end(try daemon.expectTrigger("Made", 2), .handled)
            try daemon.expectLine("outcome trigger 2 handled /conformance")
            try daemon.settle(durable)
            try daemon.expectReceived(of: durable)
            try daemon.expectLine("outcome durable 1 handled /conformance")
            try daemon.leave()
        },
        ConformanceItem(
            .origin, "confirms the end of a durable event again, and reports it once",
            "Durable events"
        ) { daemon in
            try daemon.open()
            daemon.write("durable 1")
            let durable = try daemon.expectTrigger("Kept", 1, flags: .durable)
            try daemon.accept(durable)
            for _ in 1...2 {
                try daemon.settle(durable)
                try daemon.expectReceived(of: durable)
            }
            try daemon.expectLine("outcome durable 1 handled /conformance")
            try daemon.leave()
        },
        ConformanceItem(
            .origin, "reports a durable event that the bus does not keep", "Durable events"
        ) { daemon in
            try daemon.open()
            daemon.write("durable 1")
            try daemon.refuse(
                try daemon.expectTrigger("Kept", 1, flags: .durable), .notDurable)
            try daemon.expectLine("refused durable 1 notDurable")
            try daemon.leave()
        },
    ]

    /// Publications and values that the client sets.
    static let publishingItems = [
        ConformanceItem(
            .origin, "publishes, and learns who received it", "Raising events and publications"
        ) { daemon in
            try daemon.open()
            daemon.write("publish 1")
            try daemon.end(
                try daemon.expectPublication("Told", 1), .delivered,
                recipients: [ConformancePaths.below])
            try daemon.expectLine("outcome publish 1 delivered 1")
            daemon.write("publish 2")
            try daemon.end(try daemon.expectPublication("Told", 2), .noSubscriber)
            try daemon.expectLine("outcome publish 2 noSubscriber")
            try daemon.leave()
        },
        ConformanceItem(
            .origin, "sets a value for the nodes below", "Environment, rules and preferences"
        ) { daemon in
            try daemon.open()
            daemon.write("set 7")
            let done = try daemon.expectSet(7)
            try daemon.send(Header(.done, id: done.header.id))
            try daemon.expectLine("done set 7")
            daemon.write("set 8")
            let refused = try daemon.expectSet(8)
            try daemon.send(
                Refused(
                    request: refused.header.id, code: .badValue, sentence: "a played refusal"))
            try daemon.expectLine("refused set 8 badValue")
            try daemon.leave()
        },
    ]
}

extension PlayedDaemon {
    /// Accepts a durable event.
    func accept(_ message: ClientMessage) throws {
        raises.ended(message.header.sequence, isOutcome: false)
        try send(Header(.accepted, sequence: message.header.sequence))
    }

    /// Reports the end of a durable event.
    func settle(_ message: ClientMessage) throws {
        try send(
            Settled(
                ended: OutcomeMessage(sequence: message.header.sequence, code: .handled),
                name: "Kept", origin: ConformancePaths.client, handler: ConformancePaths.handler))
    }

    /// Receives the confirmation of a durable event's end.
    func expectReceived(of message: ClientMessage) throws {
        let received = try next(.received, "'received' sequence \(message.header.sequence)")
        guard received.header.sequence == message.header.sequence else {
            throw Deviation(
                expected: "'received' sequence \(message.header.sequence)",
                received: received.description)
        }
    }

    /// Receives a `set` of the key `level` by the client's upper node.
    fileprivate func expectSet(_ level: Int) throws -> ClientMessage {
        let message = try next(.set, "'set' of level \(level)")
        let set: SetEnvironment = try message.read()
        let setting = set.assignments.settings.first
        guard set.node == (try table.number(of: ConformancePaths.client)),
            setting?.key == "level", setting?.json == "\(level)"
        else {
            throw Deviation(
                expected: "'set' of level \(level) by \(ConformancePaths.client)",
                received: "\(message), \(setting?.key.description ?? "no key")")
        }
        return message
    }
}
