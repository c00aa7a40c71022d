// SPDX-License-Identifier: Apache-2.0

import Testing

extension Faults {
    /// The `traceparent` of the W3C recommendation Trace Context, from process to process.
    @FaultThread
    @Suite struct TraceParentTests {
        private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

        @Test func `visits, replacements, errors, publications and traces keep the traceparent`()
            throws
        {
            try FaultBus.open { bus in
                let top = try bus.attach(
                    "/a", ["--observe", "New", "--handle-error", "Bad", "--handle", "New"])
                let below = try bus.attach(
                    "/a/b", ["--transform", "Old=New", "--receive", "Wrong", "--throw", "Bad"])
                let subscriber = try bus.attach("/a/c", ["--subscribe", "News"])
                let traced = ["--traceparent", Self.parent]
                let line = "\"traceparent\":\"\(Self.parent)\""

                let event = try bus.trigger("Old", ["--from", "/a/b"] + traced)
                #expect(event.outcome == "handled")
                #expect(try below.output.line(containing: "\"Old\"")?.contains(line) == true)
                #expect(try top.output.line(containing: "\"New\"")?.contains(line) == true)

                #expect(try bus.trigger("Wrong", ["--from", "/a/b"] + traced).outcome == "caught")
                #expect(try top.output.line(containing: "\"Bad\"")?.contains(line) == true)

                #expect(try bus.run(["publish", "News"] + traced).exitCode == 0)
                #expect(try subscriber.output.line(containing: "\"News\"")?.contains(line) == true)

                let trace = try bus.run(["trace", event.id, "--json"]).output.text
                #expect(trace.contains(line), "\(trace)")
                let text = try bus.run(["trace", event.id]).output.text
                #expect(text.contains("traceparent: \(Self.parent)"))
            }
        }

        @Test func `a malformed traceparent is a usage error that quotes the value`() throws {
            try FaultBus.open { bus in
                let ending = try bus.run(["trigger", "X", "--traceparent", "00-1-2-3"])
                #expect(ending.exitCode == 64)
                #expect(ending.diagnostics.text.contains("'00-1-2-3' is not a traceparent"))
            }
        }
    }
}
