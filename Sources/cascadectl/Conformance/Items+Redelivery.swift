// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension ConformanceItem {
    /// Visits that come again, and answers that are known.
    static let redeliveryItems = [
        ConformanceItem(
            .resuming, "answers a redelivery from memory", "Reconnecting"
        ) { daemon in
            try daemon.open()
            let visit = try daemon.visit(.handle, "Work", 1)
            try daemon.expectVerdict(.handled, of: visit)
            let broken = try daemon.visit(.handle, "Broken", 2)
            try daemon.expectVerdict(.failed, of: broken, number: 2)
            try daemon.expectLines(["ran Work 1 0", "ran Broken 2 0"])
            try daemon.resume()
            let again = try daemon.visit(
                .handle, "Work", 1, flags: .sentAgain, event: visit.sequence)
            try daemon.expectVerdict(.handled, of: again)
            let brokenAgain = try daemon.visit(
                .handle, "Broken", 2, flags: .sentAgain, event: broken.sequence)
            try daemon.expectVerdict(.failed, of: brokenAgain, number: 2)
            try daemon.leave()
        },
        ConformanceItem(
            .resuming, "answers a redelivery by the run that still works on it", "Reconnecting"
        ) { daemon in
            try daemon.open()
            let visit = try daemon.visit(.handle, "Wait", 1)
            try daemon.expectAccept(of: visit)
            try daemon.expectLine("ran Wait 1 0")
            try daemon.resume()
            let again = try daemon.visit(
                .handle, "Wait", 1, flags: .sentAgain, event: visit.sequence)
            // Its turn may come only when the earlier run has ended.
            for message in try daemon.messagesBeforeBeat() {
                guard message.header.command == .accept else {
                    throw Deviation(expected: "no verdict", received: message.description)
                }
            }
            daemon.write("release")
            try daemon.expectVerdict(.handled, of: again)
            try daemon.leave()
        },
        ConformanceItem(
            .resuming, "sends no verdict of the old connection", "Reconnecting"
        ) { daemon in
            try daemon.open()
            let visit = try daemon.visit(.handle, "Wait", 1)
            try daemon.expectAccept(of: visit)
            try daemon.expectLine("ran Wait 1 0")
            try daemon.resume()
            daemon.write("release")
            let next = try daemon.visit(.handle, "Work", 2)
            try daemon.expectVerdict(.handled, of: next)
            try daemon.expectLine("ran Work 2 0")
            try daemon.leave()
        },
        ConformanceItem(
            .resuming, "drops the visits that it has not begun", "States"
        ) { daemon in
            try daemon.open()
            let first = try daemon.visit(.handle, "Wait", 1)
            try daemon.visit(.handle, "Work", 2)
            try daemon.expectAccept(of: first)
            try daemon.expectLine("ran Wait 1 0")
            try daemon.expectQuiet("no 'accept' of the next visit")
            try daemon.resume()
            daemon.write("release")
            let third = try daemon.visit(.handle, "Work", 3)
            try daemon.expectVerdict(.handled, of: third)
            try daemon.expectLine("ran Work 3 0")
            try daemon.leave()
        },
        ConformanceItem(
            .resuming, "runs a responder again that had passed", "Reconnecting"
        ) { daemon in
            try daemon.open()
            let visit = try daemon.visit(.receive, "Maybe", 0)
            try daemon.expectVerdict(.passed, of: visit)
            try daemon.expectLine("ran Maybe 0 0")
            try daemon.resume()
            let again = try daemon.visit(
                .receive, "Maybe", 0, flags: .sentAgain, event: visit.sequence)
            try daemon.expectVerdict(.passed, of: again)
            try daemon.expectLine("ran Maybe 0 0")
            try daemon.leave()
        },
        ConformanceItem(
            .resuming, "runs the responder for a visit without sentAgain", "Reconnecting"
        ) { daemon in
            try daemon.open()
            for _ in 1...2 {
                let visit = try daemon.visit(.handle, "Work", 1, event: 77)
                try daemon.expectVerdict(.handled, of: visit)
                try daemon.expectLine("ran Work 1 0")
            }
            try daemon.leave()
        },
        ConformanceItem(
            .resuming, "answers the redelivery of a publication from memory", "Reconnecting"
        ) { daemon in
            try daemon.open()
            let visit = try daemon.deliver("Memo", 1)[0]
            try daemon.expectVerdict(.handled, of: visit)
            try daemon.expectLine("ran Memo 1 0")
            try daemon.resume()
            let again = try daemon.deliver(
                "Memo", 1, flags: .sentAgain, event: visit.sequence)[0]
            try daemon.expectVerdict(.handled, of: again)
            try daemon.leave()
        },
        ConformanceItem(
            .resuming, "takes the values of a new snapshot",
            "Environment, rules and preferences"
        ) { daemon in
            try daemon.greet()
            try daemon.attach(level: 5)
            try daemon.expectLine("attached")
            try daemon.resume(level: 9)
            let visit = try daemon.visit(.handle, "Work", 1)
            try daemon.expectVerdict(.handled, of: visit)
            try daemon.expectLine("ran Work 1 9")
            try daemon.resume(level: nil)
            let last = try daemon.visit(.handle, "Work", 2)
            try daemon.expectVerdict(.handled, of: last)
            try daemon.expectLine("ran Work 2 0")
            try daemon.leave()
        },
    ]
}
