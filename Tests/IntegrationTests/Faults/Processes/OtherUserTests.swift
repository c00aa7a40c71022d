// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite(.enabled(if: OtherUser.isPossible, "requires root to act as two users"))
    struct OtherUserTests {
        @Test func `a vacant path is refused to another user, even with --takeover`() throws {
            try FaultBus.open { bus in
                OtherUser.admit(to: bus)
                let child = try bus.attach("/kitchen/oven", ["--observe", "Order"])
                let owner = try bus.attach("/kitchen", ["--handle", "Order"])
                owner.kill()
                try bus.wait("/kitchen", "vacant")
                let before = try bus.tree()
                for options in [[], ["--takeover"]] {
                    let claimant = try OtherUser.start(
                        ["attach", "/kitchen", "--handle", "Order"] + options, on: bus)
                    let ending = try claimant.end()
                    #expect(ending.exitCode == 77, "\(ending.diagnostics.text)")
                    #expect(ending.diagnostics.text.contains("kept for user \(getuid())"))
                }
                #expect(try bus.tree() == before)
                let again = try bus.attach("/kitchen", ["--handle", "Order"])
                let outcome = try bus.trigger("Order", ["--from", "/kitchen/oven"])
                #expect(try again.output.line(containing: outcome.id) != nil)
                child.signal(SIGTERM)
                #expect(try child.end().exitCode == 0)
            }
        }
    }
}
