// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension ConformanceItem {
    /// Deliveries, and watched values.
    static let subscriberItems = [
        ConformanceItem(
            .subscriber, "answers a delivery for its only subscriber under that node's number",
            "Deliveries"
        ) { daemon in
            try daemon.open()
            for visit in try daemon.deliver("Memo", 1) {
                try daemon.expectVerdict(.handled, of: visit)
            }
            try daemon.expectLine("ran Memo 1 0")
            try daemon.expectQuiet("no second verdict")
            try daemon.leave()
        },
        ConformanceItem(
            .subscriber, "answers the deliveries of one number at two of its nodes apart",
            "Deliveries"
        ) { daemon in
            try daemon.open()
            let visits = try daemon.deliver(
                "News", 1, to: [ConformancePaths.client, ConformancePaths.below])
            try daemon.expectDeliveries(visits)
            try daemon.expectLines(["ran News 1 0", "ran News 1 0"])
            try daemon.leave()
        },
        ConformanceItem(
            .subscriber, "fails a delivery whose subscription throws", "Deliveries"
        ) { daemon in
            try daemon.open()
            for visit in try daemon.deliver("Torn", 1) {
                try daemon.expectVerdict(.failed, of: visit)
            }
            try daemon.expectLine("ran Torn 1 0")
            try daemon.leave()
        },
        ConformanceItem(
            .subscriber, "answers the delivery of a retained value like any other",
            "Retained publications"
        ) { daemon in
            try daemon.open()
            for visit in try daemon.deliver("Memo", 1, flags: .retained) {
                try daemon.expectVerdict(.handled, of: visit)
            }
            try daemon.expectLine("ran Memo 1 0")
            try daemon.leave()
        },
        ConformanceItem(
            .subscriber, "returns the places of unacknowledged deliveries by credit",
            "Credit and flow control"
        ) { daemon in
            try daemon.open()
            let quarter = try daemon.quarterOfPrefetch
            for number in 1...quarter {
                try daemon.deliver("Memo", number, flags: .unacknowledged)
            }
            try daemon.expectCredit(quarter)
            try daemon.expectLines((1...quarter).map { "ran Memo \($0) 0" })
            try daemon.expectQuiet("no verdict")
            try daemon.leave()
        },
        ConformanceItem(
            .subscriber, "works on visits and deliveries of a node in one order", "Visits"
        ) { daemon in
            try daemon.open()
            let first = try daemon.visit(.handle, "Wait", 1)
            let second = try daemon.deliver("Memo", 2)
            try daemon.expectAccept(of: first)
            try daemon.expectLine("ran Wait 1 0")
            try daemon.expectQuiet("no 'accept' of the delivery")
            daemon.write("release")
            try daemon.expectVerdict(.handled, of: first)
            try daemon.expectVerdict(.handled, of: second[0])
            try daemon.expectLine("ran Memo 2 0")
            try daemon.leave()
        },
        ConformanceItem(
            .subscriber, "knows the snapshot of its watched keys before its first visit",
            "Environment, rules and preferences"
        ) { daemon in
            try daemon.greet()
            try daemon.attach(level: 5)
            try daemon.expectLine("attached")
            let visit = try daemon.visit(.handle, "Work", 1)
            try daemon.expectVerdict(.handled, of: visit)
            try daemon.expectLine("ran Work 1 5")
            try daemon.leave()
        },
        ConformanceItem(
            .subscriber, "knows a change of a watched key before the visits behind it",
            "Environment, rules and preferences"
        ) { daemon in
            try daemon.greet()
            try daemon.attach(level: 5)
            try daemon.expectLine("attached")
            let changes: [(old: String?, new: String?, shown: Int)] = [
                ("5", "6", 6), ("6", nil, 0), (nil, "8", 8),
            ]
            for change in changes {
                let visit = try daemon.visitFrames(PlayedStop(.handle, "Work"), 1)
                let environment = EnvironmentChanges(
                    node: try daemon.table.number(of: ConformancePaths.client),
                    [EnvironmentChange("level", old: change.old, new: change.new)])
                try daemon.send([environment.encoded(), visit.frame])
                try daemon.expectVerdict(.handled, of: visit.visit)
                try daemon.expectLine("ran Work 1 \(change.shown)")
            }
            try daemon.leave()
        },
    ]
}

extension PlayedDaemon {
    /// Receives a verdict `handled` of each delivery, which differ in their nodes, in any order.
    fileprivate func expectDeliveries(_ visits: [SentVisit]) throws {
        var missing = Set(visits.map(\.node))
        while let first = missing.first {
            let expected = "'verdict' handled of delivery \(visits[0].delivery), node \(first)"
            let message = try next(expected)
            let isAccept = message.header.command == .accept
            let isVerdict =
                message.header.command == .verdict
                && message.header.code == VerdictCode.handled.rawValue
            guard isAccept || isVerdict, message.header.id == visits[0].delivery,
                missing.contains(message.header.node)
            else {
                throw Deviation(expected: expected, received: message.description)
            }
            if isVerdict {
                missing.remove(message.header.node)
            }
        }
    }
}
