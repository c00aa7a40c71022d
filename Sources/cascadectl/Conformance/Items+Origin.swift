// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension ConformanceItem {
    /// Events, requests, errors and cascades that the client raises, and their outcomes.
    static let originItems = [
        ConformanceItem(
            .origin, "numbers what it raises, and names its node and lane",
            "Raising events and publications"
        ) { daemon in
            try daemon.open()
            for number in 1...3 {
                daemon.write("trigger \(number)")
                let message = try daemon.expectTrigger("Made", number)
                try daemon.end(message, .handled)
                try daemon.expectLine("outcome trigger \(number) handled /conformance")
            }
            try daemon.leave()
        },
        ConformanceItem(
            .origin, "reports each outcome of an event", "Raising events and publications"
        ) { daemon in
            try daemon.open()
            let outcomes: [(OutcomeCode, Failure?, String)] = [
                (.handled, nil, "handled /conformance"),
                (.unhandled, nil, "unhandled"),
                (.failed, Failure(name: "Breakdown"), "failed Breakdown"),
                (.timedOut, Failure(.timedOut, node: ConformancePaths.handler), "timedOut"),
                (.caught, Failure(name: "Breakdown"), "caught Breakdown"),
                (.rejected, Failure(.undeclared), "rejected undeclared"),
                (.looped, Failure(.looped), "looped looped"),
            ]
            for (place, (code, failure, words)) in outcomes.enumerated() {
                daemon.write("trigger \(place)")
                let message = try daemon.expectTrigger("Made", place)
                try daemon.end(message, code, failure: failure)
                try daemon.expectLine("outcome trigger \(place) \(words)")
            }
            try daemon.leave()
        },
        ConformanceItem(
            .origin, "reports an event that policy refuses or stops", "Security"
        ) { daemon in
            try daemon.open()
            daemon.write("trigger 1")
            try daemon.refuse(try daemon.expectTrigger("Made", 1), .denied)
            try daemon.expectLine("refused trigger 1 denied")
            daemon.write("trigger 2")
            let message = try daemon.expectTrigger("Made", 2)
            try daemon.end(message, .rejected, failure: Failure(.denied))
            try daemon.expectLine("outcome trigger 2 rejected denied")
            try daemon.leave()
        },
        ConformanceItem(
            .origin, "ignores a second outcome of an event", "Raising events and publications"
        ) { daemon in
            try daemon.open(credit: 1)
            daemon.write("trigger 1")
            let first = try daemon.expectTrigger("Made", 1)
            try daemon.end(first, .handled)
            try daemon.end(first, .handled)
            try daemon.expectLine("outcome trigger 1 handled /conformance")
            daemon.write("trigger 2")
            daemon.write("trigger 3")
            let second = try daemon.expectTrigger("Made", 2)
            try daemon.expectQuiet("no 'trigger' without credit")
            try daemon.end(second, .handled)
            try daemon.expectLine("outcome trigger 2 handled /conformance")
            try daemon.end(try daemon.expectTrigger("Made", 3), .handled)
            try daemon.expectLine("outcome trigger 3 handled /conformance")
            try daemon.leave()
        },
        ConformanceItem(
            .origin, "reports the reply to a request, or its failure", "Requests"
        ) { daemon in
            try daemon.open()
            daemon.write("request 1")
            let answered = try daemon.expectTrigger("Ask", 1, lane: .request)
            try daemon.end(answered, .handled, reply: 42)
            try daemon.expectLine("outcome request 1 handled 42")
            daemon.write("request 2")
            let failed = try daemon.expectTrigger("Ask", 2, lane: .request)
            try daemon.end(failed, .failed, failure: Failure(name: "Breakdown"))
            try daemon.expectLine("outcome request 2 failed Breakdown")
            daemon.write("request 3")
            try daemon.end(try daemon.expectTrigger("Ask", 3, lane: .request), .unhandled)
            try daemon.expectLine("outcome request 3 unhandled")
            try daemon.leave()
        },
        ConformanceItem(
            .origin, "cancels a request for which it no longer waits", "Requests"
        ) { daemon in
            try daemon.open(credit: 1)
            daemon.write("request 1")
            let request = try daemon.expectTrigger("Ask", 1, lane: .request)
            daemon.write("cancel")
            try daemon.expectCancel(of: request)
            try daemon.end(request, .failed, failure: Failure(.cancelled))
            daemon.write("trigger 2")
            try daemon.end(try daemon.expectTrigger("Made", 2), .handled)
            try daemon.expectLine("outcome trigger 2 handled /conformance")
            try daemon.leave()
        },
        ConformanceItem(
            .origin, "reports errors, and learns how they end", "Errors on their way up"
        ) { daemon in
            try daemon.open()
            daemon.write("report 1")
            try daemon.end(try daemon.expectTrigger("Fault", 1, lane: .error), .handled)
            try daemon.expectLine("outcome report 1 handled /conformance")
            daemon.write("report 2")
            try daemon.end(
                try daemon.expectTrigger("Fault", 2, lane: .error), .failed,
                failure: Failure(name: "Fault", node: ConformancePaths.client))
            try daemon.expectLine("outcome report 2 failed Fault")
            try daemon.leave()
        },
        ConformanceItem(
            .origin, "starts cascades, and learns where they ran", "Cascades"
        ) { daemon in
            try daemon.open()
            daemon.write("cascade 1")
            try daemon.end(
                try daemon.expectTrigger("Swept", 1, lane: .cascade), .cascaded,
                recipients: [ConformancePaths.handler, "/"])
            try daemon.expectLine("outcome cascade 1 cascaded 2")
            try daemon.leave()
        },
        ConformanceItem(
            .origin, "names the cause of what a responder triggers", "Causes"
        ) { daemon in
            try daemon.open()
            let visit = try daemon.visit(.handle, "Chain", 4, causes: 2)
            try daemon.expectAccept(of: visit)
            let link = try daemon.expectTrigger("Link", 4)
            let cause = try link.raisedFields.cause
            let expected = EventID(session: PlayedDaemon.origin, sequence: visit.sequence)
            let count = LaneCode(rawValue: link.header.code)?.causes ?? 0
            guard cause == expected, count == 3 else {
                throw Deviation(
                    expected: "the cause \(expected) and 3 causes",
                    received: "\(cause?.description ?? "no cause") and \(count) causes")
            }
            try daemon.end(link, .handled)
            try daemon.expectVerdict(.handled, of: visit)
            try daemon.expectLine("ran Chain 4 0")
            try daemon.leave()
        },
    ]
}

extension PlayedDaemon {
    /// Receives the `cancel` of a request of the client.
    func expectCancel(of request: ClientMessage) throws {
        let message = try next(.cancel, "'cancel' sequence \(request.header.sequence)")
        guard message.header.sequence == request.header.sequence else {
            throw Deviation(
                expected: "'cancel' sequence \(request.header.sequence)",
                received: message.description)
        }
    }
}
