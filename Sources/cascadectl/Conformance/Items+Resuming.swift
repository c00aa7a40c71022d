// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension ConformanceItem {
    /// A daemon that goes and comes back, and what the client sends again.
    static let resumingItems = [
        ConformanceItem(
            .resuming, "resumes its session on a new connection", "Reconnecting"
        ) { daemon in
            try daemon.open()
            try daemon.resume()
            let visit = try daemon.visit(.handle, "Work", 1)
            try daemon.expectVerdict(.handled, of: visit)
            try daemon.expectLine("ran Work 1 0")
            try daemon.leave()
        },
        ConformanceItem(
            .resuming, "attaches with the last activation that the daemon has sent",
            "Order of activation"
        ) { daemon in
            try daemon.greet()
            try daemon.attach(activations: [
                ConformancePaths.client: Activation(rank: 1000, isActive: true),
                ConformancePaths.below: Activation(rank: 1001, isActive: true),
            ])
            try daemon.expectLine("attached")
            let below = try daemon.table.number(of: ConformancePaths.below)
            let later = Activation(rank: 2002, isActive: false)
            try daemon.send(Define([.node(number: below, ConformancePaths.below, later)]))
            try daemon.expectQuiet("no message")
            let declarations = try daemon.resume()
            for (path, activation) in [
                (ConformancePaths.client, Activation(rank: 1000, isActive: true)),
                (ConformancePaths.below, later),
            ] {
                let declared = declarations.first { $0.path == path }?.activation
                guard declared == activation else {
                    throw Deviation(
                        expected: "\(path) with rank \(activation.rank)",
                        received: declared.map { "rank \($0.rank)" } ?? "no activation")
                }
            }
            try daemon.leave()
        },
        ConformanceItem(
            .resuming, "attaches a node that was moved at its new path", "Moving"
        ) { daemon in
            try daemon.open()
            let moves: [(NodePath, NodePath)] = [
                (ConformancePaths.client, "/moved/client"),
                (ConformancePaths.below, "/moved/client/below"),
            ]
            for (old, new) in moves {
                try daemon.send(Moved(node: try daemon.table.number(of: old), path: new))
            }
            try daemon.expectQuiet("no message")
            daemon.disappear()
            try daemon.returnToBus()
            try daemon.greet(isResumed: true)
            try daemon.attach(["/moved/client", "/moved/client/below"])
            try daemon.leave()
        },
        ConformanceItem(
            .resuming, "sends again what has no outcome, in order, before anything new",
            "Reconnecting"
        ) { daemon in
            try daemon.open()
            var messages: [ClientMessage] = []
            for number in 1...3 {
                daemon.write("trigger \(number)")
                messages.append(try daemon.expectTrigger("Made", number))
            }
            try daemon.end(messages[1], .handled)
            try daemon.expectLine("outcome trigger 2 handled /conformance")
            daemon.disappear()
            try daemon.returnToBus()
            try daemon.receiveGreeting(isResumed: true)
            daemon.write("trigger 4")
            try daemon.welcome(credit: 16)
            try daemon.attach()
            let first = try daemon.expectRedelivery(of: messages[0], 1)
            let third = try daemon.expectRedelivery(of: messages[2], 3)
            let fourth = try daemon.expectTrigger("Made", 4)
            for (number, message) in [(1, first), (3, third), (4, fourth)] {
                try daemon.end(message, .handled)
                try daemon.expectLine("outcome trigger \(number) handled /conformance")
            }
            try daemon.leave()
        },
        ConformanceItem(
            .resuming, "does not send again what ends before it could", "Reconnecting"
        ) { daemon in
            try daemon.open()
            daemon.write("trigger 1")
            let first = try daemon.expectTrigger("Made", 1)
            daemon.write("trigger 2")
            let second = try daemon.expectTrigger("Made", 2)
            daemon.disappear()
            try daemon.returnToBus()
            try daemon.greet(credit: 1, isResumed: true)
            let handler = Define.Definition.node(
                number: daemon.table.handlerNumber, ConformancePaths.handler)
            try daemon.send(Define([handler]))
            try daemon.end(first, .handled)
            try daemon.attach()
            try daemon.expectLine("outcome trigger 1 handled /conformance")
            let again = try daemon.expectRedelivery(of: second, 2)
            daemon.write("trigger 3")
            try daemon.expectQuiet("no 'trigger' without credit")
            try daemon.end(again, .handled)
            try daemon.expectLine("outcome trigger 2 handled /conformance")
            try daemon.end(try daemon.expectTrigger("Made", 3), .handled)
            try daemon.expectLine("outcome trigger 3 handled /conformance")
            try daemon.leave()
        },
        ConformanceItem(
            .resuming, "sends again only what the new credit allows", "Reconnecting"
        ) { daemon in
            try daemon.open()
            var messages: [ClientMessage] = []
            for number in 1...3 {
                daemon.write("trigger \(number)")
                messages.append(try daemon.expectTrigger("Made", number))
            }
            daemon.disappear()
            try daemon.returnToBus()
            try daemon.greet(credit: 2, isResumed: true)
            try daemon.attach()
            var again = [try daemon.expectRedelivery(of: messages[0], 1)]
            again.append(try daemon.expectRedelivery(of: messages[1], 2))
            try daemon.expectQuiet("no 'trigger' without credit")
            try daemon.end(again[0], .handled)
            try daemon.expectLine("outcome trigger 1 handled /conformance")
            again.append(try daemon.expectRedelivery(of: messages[2], 3))
            for number in 2...3 {
                try daemon.end(again[number - 1], .handled)
                try daemon.expectLine("outcome trigger \(number) handled /conformance")
            }
            try daemon.leave()
        },
        ConformanceItem(
            .resuming, "forgets a cancelled request", "States"
        ) { daemon in
            try daemon.open()
            daemon.write("request 1")
            let request = try daemon.expectTrigger("Ask", 1, lane: .request)
            daemon.write("cancel")
            try daemon.expectCancel(of: request)
            try daemon.resume()
            try daemon.expectQuiet("no redelivery")
            try daemon.leave()
        },
        ConformanceItem(
            .resuming, "recalls a durable event that was accepted", "Durable events"
        ) { daemon in
            try daemon.open()
            daemon.write("durable 1")
            let durable = try daemon.expectTrigger("Kept", 1, flags: .durable)
            try daemon.accept(durable)
            try daemon.expectQuiet("no message")
            try daemon.resume()
            let recall = try daemon.next(.recall)
            guard recall.header.sequence == durable.header.sequence else {
                throw Deviation(
                    expected: "'recall' sequence \(durable.header.sequence)",
                    received: recall.description)
            }
            try daemon.settle(durable)
            try daemon.expectReceived(of: durable)
            try daemon.expectLine("outcome durable 1 handled /conformance")
            try daemon.leave()
        },
        ConformanceItem(
            .resuming, "resumes after the violations that a new connection cures", "States"
        ) { daemon in
            try daemon.open()
            for code in [
                ErrorCode.greetingRequired, .shuttingDown, .notReading, .messageLost,
            ] {
                try daemon.send(Violation(code, "a played violation"))
                try daemon.greet(isResumed: true)
                try daemon.attach()
                try daemon.expectQuiet("no message")
            }
            try daemon.leave()
        },
        ConformanceItem(
            .resuming, "does not return when another connection has its session", "Errors"
        ) { daemon in
            try daemon.open()
            try daemon.send(Violation(.superseded, "a played violation"))
            try daemon.expectLine("ended superseded")
            try daemon.expectEnd()
        },
    ]
}

extension PlayedDaemon {
    /// Goes and comes back, and attaches the client's nodes again.
    @discardableResult
    func resume(level: Int? = nil) throws -> [NodeDeclaration] {
        disappear()
        try returnToBus()
        try greet(isResumed: true)
        return try attach(level: level)
    }

    /// Receives the redelivery of an event under its old number.
    func expectRedelivery(of message: ClientMessage, _ number: Int) throws -> ClientMessage {
        let again = try expectTrigger("Made", number, flags: .sentAgain)
        guard again.header.sequence == message.header.sequence else {
            throw Deviation(
                expected: "sequence \(message.header.sequence)", received: again.description)
        }
        return again
    }
}
