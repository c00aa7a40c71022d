// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite(.enabled(if: PolicyBus.isAvailable, "requires root and setpriv to act as users"))
    struct ShareFaultTests {
        @Test func `a user that fills its share of the tables does not affect another user`() throws
        {
            let options = ["--limit", "retained=10", "--limit", "keptValues=10"]
            try PolicyBus.open(policy: "allow set / to everyone\n", options) { bus in
                var refusals: [String] = []
                for number in 1...10 {
                    for words in [
                        ["publish", "Price\(number)", "--retain"],
                        ["env", "set", "key=1", "--at", "/anna/n\(number)"],
                    ] {
                        let ending = try bus.run(words, as: .anna)
                        let text = ending.diagnostics.text + ending.output.text
                        if text.contains("would exceed it") {
                            refusals.append(text)
                        }
                    }
                }
                let words = "user 41001 uses 5 of its share of 5"
                #expect(refusals.count == 10)
                #expect(refusals.allSatisfy { $0.contains(words) }, "\(refusals)")
                for (words, exitCode) in [
                    // The publication is retained for later subscribers.
                    (["publish", "Menu", "--retain"], 3),
                    (["env", "set", "key=1", "--at", "/bert"], 0),
                ] as [([String], Int32)] {
                    let ending = try bus.run(words, as: .bert)
                    #expect(ending.exitCode == exitCode, "\(words)")
                    #expect(
                        !ending.diagnostics.text.contains("limit"), "\(ending.diagnostics.text)")
                }
                let status = try bus.bus.run(["env", "get", "key", "--at", "/bert"])
                #expect(status.output.text == "1\n")
            }
        }
    }
}
