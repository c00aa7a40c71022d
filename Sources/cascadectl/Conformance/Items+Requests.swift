// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension ConformanceItem {
    /// Requests and errors at a responder.
    static let requestItems = [
        ConformanceItem(
            .responder, "answers a request with its reply, or passes it", "Requests"
        ) { daemon in
            try daemon.open()
            let answered = try daemon.visit(.respond, "Echo", 5, lane: .request)
            try daemon.expectVerdict(.answered, of: answered, number: 5)
            let passed = try daemon.visit(.respond, "Echo", 0, lane: .request)
            try daemon.expectVerdict(.passed, of: passed)
            try daemon.expectLines(["ran Echo 5 0", "ran Echo 0 0"])
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "ends a responder whose request is cancelled, and answers it", "Requests"
        ) { daemon in
            try daemon.open()
            let visit = try daemon.visit(.respond, "Stuck", 1, lane: .request)
            try daemon.expectAccept(of: visit)
            try daemon.expectLine("ran Stuck 1 0")
            try daemon.cancel(visit)
            try daemon.expectAnswers(to: [visit])
            let next = try daemon.visit(.handle, "Work", 2)
            try daemon.expectVerdict(.handled, of: next)
            try daemon.expectLine("ran Work 2 0")
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "answers a request that is cancelled before its turn without running it",
            "Requests"
        ) { daemon in
            try daemon.open()
            let working = try daemon.visit(.handle, "Wait", 1)
            try daemon.expectAccept(of: working)
            try daemon.expectLine("ran Wait 1 0")
            let queued = try daemon.visit(.respond, "Echo", 2, lane: .request)
            try daemon.cancel(queued)
            // The client may answer at once, or when the request's turn comes.
            var missing = [working]
            if try daemon.messagesBeforeBeat().isEmpty {
                missing.append(queued)
            }
            daemon.write("release")
            try daemon.expectAnswers(to: missing)
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "ignores the cancel of a visit that it has answered, or never had",
            "Requests"
        ) { daemon in
            try daemon.open()
            let visit = try daemon.visit(.respond, "Echo", 5, lane: .request)
            try daemon.expectVerdict(.answered, of: visit, number: 5)
            try daemon.expectLine("ran Echo 5 0")
            try daemon.cancel(visit)
            try daemon.cancel(
                SentVisit(delivery: daemon.nextDelivery(), node: visit.node, sequence: 1))
            try daemon.expectQuiet("no verdict")
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "fails with the error that its responder throws",
            "Errors on their way up"
        ) { daemon in
            try daemon.open()
            let visit = try daemon.visit(.handle, "Broken", 3)
            let message = try daemon.expectVerdict(.failed, of: visit, number: 3)
            let failure = (try message.read() as Verdict).failure
            guard failure?.name == "Breakdown", failure?.node == nil else {
                throw Deviation(
                    expected: "the error Breakdown without errorNode",
                    received: failure?.description ?? "no error")
            }
            try daemon.expectLine("ran Broken 3 0")
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "handles, catches and transforms errors", "Errors on their way up"
        ) { daemon in
            try daemon.open()
            let handled = try daemon.visit(.handleError, "Alarm", 1, lane: .error)
            try daemon.expectVerdict(.handled, of: handled)
            let caught = try daemon.visit(.catch, "Lost", 2, lane: .error)
            try daemon.expectVerdict(.replaced, of: caught, name: "Found", number: 2)
            let transformed = try daemon.visit(.transformError, "Rough", 3, lane: .error)
            try daemon.expectVerdict(.replaced, of: transformed, name: "Smooth", number: 3)
            try daemon.expectLines(["ran Alarm 1 0", "ran Lost 2 0", "ran Rough 3 0"])
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "fails a visit to a responder that it does not have", "Visits"
        ) { daemon in
            try daemon.open()
            var frames = try daemon.visitFrames(PlayedStop(.handle, "Work"), 1)
            frames.frame[2] = 0xFF
            frames.frame[3] = 0x7F
            try daemon.send([frames.frame])
            try daemon.expectVerdict(.failed, of: frames.visit)
            try daemon.leave()
        },
    ]

    /// Refusals, detachments and violations.
    static let faultItems = [
        ConformanceItem(
            .responder, "reports an attach that is refused because the path is taken",
            "Attaching, changing, leaving"
        ) { daemon in
            try daemon.refuseAttach(.pathTaken)
        },
        ConformanceItem(
            .responder, "reports an attach that policy denies", "Security"
        ) { daemon in
            try daemon.refuseAttach(.denied)
        },
        ConformanceItem(
            .responder, "does not attach a node again that was taken over",
            "Attaching, changing, leaving"
        ) { daemon in
            try daemon.open()
            let below = try daemon.table.number(of: ConformancePaths.below)
            try daemon.send(
                Detached(
                    node: below, path: ConformancePaths.below, reason: .takenOver,
                    sentence: "another session took the path"))
            try daemon.expectQuiet("no 'attach'")
            daemon.disappear()
            try daemon.returnToBus()
            try daemon.greet(isResumed: true)
            try daemon.attach([ConformancePaths.client])
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "finishes its visits before it leaves", "Attaching, changing, leaving"
        ) { daemon in
            try daemon.open()
            let visit = try daemon.visit(.handle, "Wait", 1)
            try daemon.expectAccept(of: visit)
            try daemon.expectLine("ran Wait 1 0")
            daemon.write("leave")
            let leave: Leave = try daemon.next(.leave).read()
            daemon.write("release")
            try daemon.expectVerdict(.handled, of: visit)
            try daemon.answer(leave)
            try daemon.expectExit({ $0 == 0 }, "the exit of the client with status 0")
        },
        ConformanceItem(
            .responder, "ends after a violation that no new connection cures", "States"
        ) { daemon in
            try daemon.open()
            try daemon.send(Violation(.notYours, "a played violation"))
            try daemon.expectLine("ended notYours")
            try daemon.expectEnd()
        },
    ]
}

extension PlayedDaemon {
    /// Cancels the request of a visit.
    func cancel(_ visit: SentVisit) throws {
        try send(Header(.cancel, node: visit.node, id: visit.delivery))
    }

    /// Receives one verdict, whichever it is, of each visit, in any order.
    func expectAnswers(to visits: [SentVisit]) throws {
        var missing = Set(visits.map(\.delivery))
        while let first = missing.first {
            let message = try next("a 'verdict' of delivery \(first)")
            let isAccept = message.header.command == .accept
            guard isAccept || message.header.command == .verdict,
                missing.contains(message.header.id)
            else {
                throw Deviation(
                    expected: "a 'verdict' of delivery \(first)", received: message.description)
            }
            if !isAccept {
                missing.remove(message.header.id)
            }
        }
    }

    /// Refuses the client's attach; the client reports it and ends.
    fileprivate func refuseAttach(_ code: ErrorCode) throws {
        try greet()
        let attach = try next(.attach)
        try send(
            Refused(request: attach.header.id, code: code, sentence: "a played refusal"))
        try expectLine("refused attach 0 \(EventName(code))")
        try expectEnd()
    }
}
