// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite(.enabled(if: PolicyBus.isAvailable, "requires root and setpriv to act as users"))
    struct PolicyTests {
        @Test func `rules apply by user and supplementary group, and refusals name the rule`()
            throws
        {
            let policy = "deny trigger /shop/safe to user 41001\nallow inspect / to user 41003\n"
            try PolicyBus.open(policy: policy) { bus in
                let node = try bus.attach("/shop", ["--handle", "Ring"], as: .anna)
                #expect(
                    try bus.run(["trigger", "Ring", "--from", "/shop"], as: .bert).exitCode == 0)
                try bus.expectDenied(
                    ["trigger", "Ring", "--from", "/shop/safe"], as: .anna,
                    saying: "\(bus.policyFile):1:1")
                try bus.expectDenied(
                    ["attach", "/attic"], as: .eve, saying: "no rule of the policy allows it")
                try bus.expectDenied(
                    ["drain", "/shop", "--yes"], as: .bert, saying: "may not administer '/shop'")
                let card = try bus.run(["status", "/shop", "--json"], as: .eve)
                #expect(card.output.text.contains("\"uid\":41001"))
                #expect(card.output.text.contains("\"groups\":[41900]"))
                let kind = ["policy", "test", "attach", "/shop", "--as", "41003"]
                #expect(try bus.bus.run(kind).exitCode == 3)
                #expect(try bus.bus.run(kind + ["--group", "41900"]).exitCode == 0)
                let list = try bus.bus.run(["policy", "list", "--json"])
                #expect(list.output.text.contains("\"file\":\"\(bus.policyFile)\",\"line\":1"))
                node.signal(SIGTERM)
                #expect(try node.end().exitCode == 0)
            }
        }

        @Test func `a capture of a user who may not inspect the root has events alone`() throws {
            let policy = "default none\nallow inspect /shop to user 41001\n"
            try PolicyBus.open(policy: policy) { bus in
                let file = bus.bus.directory + "/own.capture"
                try #require(chmod(bus.bus.directory, 0o2777) == 0)
                let node = try bus.bus.attach("/shop", ["--handle", "Ring"])
                let capture = try bus.start(["capture", file], as: .anna)
                let sentence = try capture.diagnostics.line(containing: "the file has no tree")
                #expect(sentence?.contains("may not inspect '/'") == true, "\(sentence ?? "")")
                #expect(try capture.diagnostics.line(containing: "recording to") != nil)
                _ = try bus.bus.run(["trigger", "Ring", "--from", "/shop"])
                try Patience.until("the end of the event is recorded") {
                    _ = try bus.bus.run(["ping"])
                    let text = try String(contentsOfFile: file, encoding: .utf8)
                    return text.contains(#""what":"ended""#)
                }
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect(!text.contains("keyframe") && text.contains(#""trail":["#))
                node.signal(SIGTERM)
                #expect(try node.end().exitCode == 0)
            }
        }

        @Test func `a vacant path is refused to another user, and its owner attaches again`() throws
        {
            try PolicyBus.open(policy: "allow inspect / to everyone\n") { bus in
                let node = try bus.attach("/shop", as: .anna)
                node.kill()
                _ = try node.end()
                try bus.bus.wait("/shop", "vacant")
                try bus.expectDenied(
                    ["attach", "/shop"], as: .bert, saying: "is kept for user 41001")
                let back = try bus.attach("/shop", as: .anna)
                try bus.expectDenied(
                    ["attach", "/shop", "--takeover"], as: .bert, saying: "is held by user 41001")
                back.signal(SIGTERM)
                #expect(try back.end().exitCode == 0)
            }
        }

        @Test func `a denial by a reload rejects queued events of the path and ends its session`()
            throws
        {
            try PolicyBus.open(policy: "allow inspect / to everyone\n") { bus in
                let node = try bus.attach(
                    "/shop", ["--receive", "Ring", "--delay", "60s"], as: .anna)
                let first = try bus.start(["trigger", "Ring", "--from", "/shop"], as: .bert)
                #expect(try node.output.line(containing: "\"Ring\"") != nil)
                let second = try bus.start(
                    ["trigger", "Ring", "--from", "/shop", "--json"], as: .bert)
                try Patience.until("the second event waits") {
                    try bus.bus.run(["status", "/shop", "--json"]).output.text
                        .contains("\"queue\":2")
                }
                _ = try bus.reload(
                    "allow inspect / to everyone\ndeny attach /shop to user 41001\n")
                let outcome = try second.end()
                #expect(outcome.exitCode == 77, "\(outcome.output.text)")
                #expect(outcome.output.text.contains("\"outcome\":\"rejected\""))
                #expect(outcome.output.text.contains("bus.policy:2:1"))
                let ending = try node.end()
                #expect(ending.exitCode == 77)
                #expect(ending.output.text.contains("\"reason\":\"denied\""))
                #expect(ending.output.text.contains("bus.policy:2:1"))
                first.kill()
                _ = try first.end()
            }
        }
    }
}
