// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import CascadeWire
import Testing

/// Values of the library as a program prints them.
@Suite(.timeLimit(.minutes(1))) struct DescriptionTests {
    /// An error whose message would clear the terminal and begin a line.
    private static let failure = Failure(
        name: "SoldOut", message: "no 7\n\u{1B}[2J", node: "/shop")
    private static let shownFailure = #"SoldOut at /shop: no 7\u{a}\u{1b}[2J"#

    private static let visit = VisitRecord(
        path: "/shop", responder: 1, kind: .handle, name: "ItemSelected", verdict: .failed,
        microseconds: 420, message: "no 7\n", title: "Sold out")

    @Test func `the outcome of an event is one line in the words of the command line`() {
        let lines: [(Outcome, String)] = [
            (.handled(by: "/app"), "handled by /app"),
            (.unhandled, "unhandled"),
            (.failed(Self.failure), "failed: \(Self.shownFailure)"),
            (.timedOut(at: "/app"), "timed out at /app"),
            (.caught(Self.failure, by: "/app"), "caught by /app: \(Self.shownFailure)"),
            (.rejected(Self.failure), "rejected: \(Self.shownFailure)"),
            (.looped(Self.failure), "looped: \(Self.shownFailure)"),
        ]
        for (outcome, line) in lines {
            #expect("\(outcome)" == line)
            #expect("\([outcome])" == "[\(line)]")
        }
    }

    @Test func `an error is one line, with its message escaped`() {
        #expect("\(Self.failure)" == Self.shownFailure)
        #expect("\(RequestError.rejected(Self.failure))" == Self.shownFailure)
    }

    @Test func `the outcome of a request includes the reply, escaped`() {
        let lines: [(RequestOutcome<String>, String)] = [
            (.answered("a\tb", by: "/app"), #"answered by /app: a\u{9}b"#),
            (.unhandled, "unhandled"),
            (.timedOut(at: "/app"), "timed out at /app"),
            (.rejected(Self.failure), "rejected: \(Self.shownFailure)"),
        ]
        for (outcome, line) in lines {
            #expect("\(outcome)" == line)
        }
    }

    @Test func `the outcome of a cascade lists the nodes that ran it and those that failed`() {
        let cascaded = CascadeOutcome.cascaded(through: ["/app/cart", "/app"], failures: [])
        #expect("\(cascaded)" == "run by /app/cart, /app")
        let failed = CascadeOutcome.cascaded(through: [], failures: [Self.visit])
        #expect("\(failed)" == "no node ran it; failed at /shop")
        #expect("\(CascadeOutcome.failed(Self.failure))" == "failed: \(Self.shownFailure)")
    }

    @Test func `the outcome of a publication lists its recipients`() {
        #expect("\(PublicationOutcome.delivered(["/a", "/b"]))" == "delivered to /a, /b")
        #expect("\(PublicationOutcome.noSubscriber)" == "no subscriber")
        #expect("\(PublicationOutcome.timedOut)" == "timed out")
        #expect("\(PublicationOutcome.failed(Self.failure))" == "failed: \(Self.shownFailure)")
    }

    @Test func `a visit is one line, with the words of its error escaped`() {
        var visit = Self.visit
        #expect(
            "\(visit)" == "failed at /shop (responder 1, handle ItemSelected) in 420 µs: "
                + #"Sold out: no 7\u{a}"#)
        visit.hasTimedOut = true
        (visit.title, visit.message) = (nil, nil)
        #expect(
            "\(visit)" == "timed out at /shop (responder 1, handle ItemSelected) in 420 µs")
        (visit.verdict, visit.hasTimedOut) = (.handled, false)
        #expect("\(visit)" == "handled by /shop (responder 1, handle ItemSelected) in 420 µs")
    }

    @Test func `an explanation is one line with the value and the source that gave it`()
        async throws
    {
        let bus = LoopbackBus(mount: .root) {
            Node("shop") { Node("reader") }.environment(\.copies, 2)
        }
        try await bus.run { bus in
            let set = try await bus.control.explain(\.copies, at: "/shop/reader")
            #expect(
                "\(set)" == "copies is 2 at /shop/reader: set /shop, it is the nearest value that "
                    + "is set")
            let candidate = try #require(set.candidates.first)
            #expect("\(candidate)" == "won: set /shop 2, it is the nearest value that is set")
            let unset = try await bus.control.explain(\.isOpen, at: "/shop/reader")
            #expect("\(unset)".hasPrefix("isOpen has no value at /shop/reader"))
        }
    }
}
