// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension ConformanceItem {
    /// Greeting, visits and their verdicts.
    static let respondingItems = [
        ConformanceItem(
            .responder, "greets with the protocol, version 1 and a session of its own secret",
            "Greeting"
        ) { daemon in
            let hello = try daemon.receiveGreeting()
            try daemon.expectNothingYet("no message before 'welcome'")
            guard hello.versions.contains(1), hello.secret?.sessionID == hello.session else {
                throw Deviation(
                    expected: "versions with 1, and a secret whose digest is the session",
                    received: "versions \(hello.versions), session \(hello.session)")
            }
            try daemon.welcome(credit: 16)
            try daemon.attach()
            try daemon.expectLine("attached")
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "declares its responders, subscriptions and watched keys",
            "Attaching, changing, leaving"
        ) { daemon in
            try daemon.open()
            for stop in PlayedStop.required {
                _ = try daemon.table.index(of: stop.kind, stop.name, at: stop.path)
            }
            let client = daemon.table.declarations[ConformancePaths.client]
            guard client?.subscriptions.contains("Memo") == true,
                client?.assignments.watchedKeys.contains("level") == true
            else {
                throw Deviation(
                    expected: "a subscription to Memo, and the watched key level",
                    received: "a node without them")
            }
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "skips what a later release adds: fields, limits and commands", "States"
        ) { daemon in
            try daemon.open()
            var unknown = Header(.beat, id: 1).encoded()
            unknown[0] = 200
            try daemon.send([unknown])
            let visit = try daemon.visitFrames(PlayedStop(.handle, "Work"), 1)
            try daemon.send([visit.frame.addingUnknownField()])
            try daemon.expectVerdict(.handled, of: visit.visit)
            try daemon.expectLine("ran Work 1 0")
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "reads the messages of one ZeroMQ message in order", "Frames"
        ) { daemon in
            try daemon.open()
            let visits = try (1...3).map {
                try daemon.visitFrames(PlayedStop(.handle, "Work"), $0)
            }
            try daemon.send(visits.map(\.frame))
            for visit in visits {
                try daemon.expectVerdict(.handled, of: visit.visit)
            }
            for number in 1...3 {
                try daemon.expectLine("ran Work \(number) 0")
            }
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "accepts a visit before its responder ends", "Visits"
        ) { daemon in
            try daemon.open()
            let visit = try daemon.visit(.handle, "Wait", 1)
            try daemon.expectAccept(of: visit)
            try daemon.expectLine("ran Wait 1 0")
            daemon.write("release")
            try daemon.expectVerdict(.handled, of: visit)
            try daemon.leave()
        },
        ConformanceItem(.responder, "answers a visit with one verdict", "Visits") { daemon in
            try daemon.open()
            let visit = try daemon.visit(.handle, "Work", 1)
            try daemon.expectVerdict(.handled, of: visit)
            try daemon.expectLine("ran Work 1 0")
            try daemon.expectQuiet("no second verdict")
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "handles or passes an event, as its responder decides", "Visits"
        ) { daemon in
            try daemon.open()
            let handled = try daemon.visit(.receive, "Maybe", 1)
            try daemon.expectVerdict(.handled, of: handled)
            let passed = try daemon.visit(.receive, "Maybe", 0)
            try daemon.expectVerdict(.passed, of: passed)
            try daemon.expectLines(["ran Maybe 1 0", "ran Maybe 0 0"])
            try daemon.leave()
        },
        ConformanceItem(.responder, "passes an event that it observes", "Visits") { daemon in
            try daemon.open()
            let visit = try daemon.visit(.observe, "Noted", 1)
            try daemon.expectVerdict(.passed, of: visit)
            try daemon.expectLine("ran Noted 1 0")
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "replaces an event that it transforms, by name and payload", "Visits"
        ) { daemon in
            try daemon.open()
            let visit = try daemon.visit(.transform, "Raw", 7)
            try daemon.expectVerdict(.replaced, of: visit, name: "Cooked", number: 7)
            try daemon.expectLine("ran Raw 7 0")
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "fails a visit to a responder that its node does not have", "Visits"
        ) { daemon in
            try daemon.open()
            let visit = try daemon.visitWithoutResponder(1)
            try daemon.expectVerdict(.failed, of: visit)
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "reads a name that comes in a field", "Visits"
        ) { daemon in
            try daemon.open()
            let visit = try daemon.visit(.handle, "Work", 1, isNamedInField: true)
            try daemon.expectVerdict(.handled, of: visit)
            try daemon.expectLine("ran Work 1 0")
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "works on the visits of a node in order, one at a time", "Visits"
        ) { daemon in
            try daemon.open()
            let first = try daemon.visit(.handle, "Wait", 1)
            let second = try daemon.visit(.handle, "Work", 2)
            let third = try daemon.visit(.handle, "Work", 3)
            try daemon.expectAccept(of: first)
            try daemon.expectLine("ran Wait 1 0")
            try daemon.expectQuiet("no 'accept' of the next visit")
            daemon.write("release")
            try daemon.expectVerdict(.handled, of: first)
            try daemon.expectVerdict(.handled, of: second)
            try daemon.expectVerdict(.handled, of: third)
            try daemon.expectLine("ran Work 2 0")
            try daemon.expectLine("ran Work 3 0")
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "asks the stops of an itinerary until one does not pass", "Visits"
        ) { daemon in
            try daemon.open()
            let visit = try daemon.visit(
                [
                    PlayedStop(.observe, "Noted", at: ConformancePaths.below),
                    PlayedStop(.observe, "Noted"), PlayedStop(.handle, "Noted"),
                ], 1)
            try daemon.expectVerdict(.handled, of: visit, index: 2)
            for _ in 1...3 {
                try daemon.expectLine("ran Noted 1 0")
            }
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "passes an itinerary at its last stop, and holds it for one visit",
            "Visits"
        ) { daemon in
            try daemon.open()
            let passed = try daemon.visit(
                [
                    PlayedStop(.observe, "Noted", at: ConformancePaths.below),
                    PlayedStop(.observe, "Noted"),
                ], 1)
            try daemon.expectVerdict(.passed, of: passed, index: 1)
            try daemon.expectLines(["ran Noted 1 0", "ran Noted 1 0"])
            let alone = try daemon.visit(.observe, "Noted", 2)
            try daemon.expectVerdict(.passed, of: alone)
            try daemon.expectLine("ran Noted 2 0")
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "answers beats while a responder works", "Liveness"
        ) { daemon in
            try daemon.open()
            let visit = try daemon.visit(.handle, "Wait", 1)
            try daemon.expectAccept(of: visit)
            try daemon.expectLine("ran Wait 1 0")
            try daemon.expectQuiet("no verdict")
            try daemon.expectQuiet("no verdict")
            daemon.write("release")
            try daemon.expectVerdict(.handled, of: visit)
            try daemon.leave()
        },
        ConformanceItem(
            .responder, "returns the places of unacknowledged visits by credit",
            "Credit and flow control"
        ) { daemon in
            try daemon.open()
            let quarter = try daemon.quarterOfPrefetch
            for number in 1...quarter {
                try daemon.visit(.handle, "Work", number, flags: .unacknowledged)
            }
            try daemon.expectCredit(quarter)
            try daemon.expectLines((1...quarter).map { "ran Work \($0) 0" })
            try daemon.expectQuiet("no verdict")
            try daemon.leave()
        },
    ]
}

extension PlayedStop {
    /// The responders that a conformance worker has to declare.
    static let required = [
        PlayedStop(.handle, "Work"), PlayedStop(.receive, "Maybe"), PlayedStop(.transform, "Raw"),
        PlayedStop(.observe, "Noted"), PlayedStop(.handle, "Noted"), PlayedStop(.handle, "Wait"),
        PlayedStop(.handle, "Broken"), PlayedStop(.handle, "Chain"), PlayedStop(.respond, "Echo"),
        PlayedStop(.respond, "Stuck"), PlayedStop(.catch, "Lost"),
        PlayedStop(.handleError, "Alarm"), PlayedStop(.transformError, "Rough"),
        PlayedStop(.observe, "Noted", at: ConformancePaths.below),
    ]
}

extension PlayedDaemon {
    /// A quarter of the prefetch of the client's upper node, but at least one.
    var quarterOfPrefetch: Int {
        get throws {
            guard let node = table.declarations[ConformancePaths.client] else {
                throw Deviation(
                    expected: "the node \(ConformancePaths.client)", received: "no such node")
            }
            return max(1, Int(node.prefetch) / 4)
        }
    }

    /// Receives `credit` for the upper node until this many places are returned.
    func expectCredit(_ count: Int) throws {
        var returned = 0
        while returned < count {
            let message = try next(.credit, "'credit' for \(count - returned) places")
            guard message.header.node == (try table.number(of: ConformancePaths.client)) else {
                throw Deviation(
                    expected: "'credit' of \(ConformancePaths.client)",
                    received: message.description)
            }
            returned += Int(message.header.code)
        }
        guard returned == count else {
            throw Deviation(expected: "\(count) places returned", received: "\(returned)")
        }
    }
}
