// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct AlertTests {
    private struct Jammed: AlertableError {
        let message: String
    }

    @Test func `an error with an alert message is shown, thrown or reported`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("alerts") {
                Node("printer").handle(ItemSelected.self) { _ in throw PaperJam() }
            }
            .handleAlertErrors(AlertSink { await journal.note("\($0) \($0.node ?? .root)") })
        }
        try await bus.run { bus in
            _ = try await bus.trigger(ItemSelected(), from: "/alerts/printer").outcome
            _ = try await bus.report(Jammed(message: "\u{1B}[31m"), from: "/alerts").outcome
            let entries = try await journal.entries(2)
            #expect(
                entries == [
                    "Paper jam: open tray 2 /alerts/printer", #"Error: \u{1b}[31m /alerts"#,
                ])
        }
    }

    @Test func `an error without an alert message is not shown and continues`() async throws {
        let journal = Journal()
        let sink = AlertSink { await journal.note($0.message) }
        let bus = LoopbackBus(mount: .root) { Node("alerts").handleAlertErrors(sink) }
        try await bus.run { bus in
            let outcome = try await bus.report(SoldOut(), from: "/alerts").outcome
            guard case .failed(let failure) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(failure.title == nil)
            // Alerts are shown in order, so the first one shown is the next one.
            _ = try await bus.report(PaperJam(tray: 1), from: "/alerts").outcome
            #expect(try await journal.entries(1) == ["open tray 1"])
        }
    }

    @Test func `simultaneous alerts are handled at once and shown one after the other`()
        async throws
    {
        let (journal, gate) = (Journal(), Gate())
        let sink = AlertSink { alert in
            await journal.note(alert.message)
            // Cancelled when the node leaves, as a dialogue would be.
            try? await gate.pass()
        }
        let bus = LoopbackBus(mount: .root) { Node("alerts").handleAlertErrors(sink) }
        try await bus.run { bus in
            for tray in 1...3 {
                let outcome = try await bus.report(PaperJam(tray: tray), from: "/alerts").outcome
                #expect(outcome == .handled(by: "/alerts"))
            }
            #expect(await journal.entries.count <= 1)
            await gate.open()
            #expect(try await journal.entries(3) == ["open tray 1", "open tray 2", "open tray 3"])
        }
    }
}
