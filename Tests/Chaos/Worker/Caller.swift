// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// The origin of the measured round trips. It triggers an event at each instant of a schedule, even if
/// earlier ones have not ended.
///
/// A round trip is measured from the instant in the schedule. If the bus stops for a second, all events of
/// that second are therefore late, and not only the one under way.
actor Caller {
    private let process: String
    private let microseconds: Int
    private let durableInterval: Int
    private let history: History
    private var start: Int?
    private var lastNumber = 0
    private var underWay = 0
    private var isFinishing = false
    private var hasFinished = false

    @Environment(\.triggerEvent) private var triggerEvent

    /// - Parameters:
    ///   - microseconds: The time between two instants of the schedule.
    ///   - durableInterval: The number of events of which one is durable; 0 for no durable events.
    init(process: String, microseconds: Int, durableInterval: Int, history: History) {
        self.process = process
        self.microseconds = microseconds
        self.durableInterval = durableInterval
        self.history = history
    }

    /// Returns a node that triggers the events.
    nonisolated func calling(_ node: Node) -> Node {
        node.task { self.history.write("attached") }
            .every(.microseconds(microseconds)) { await self.triggerDueEvents() }
            .onSignal(SIGUSR1) { await self.finish() }
    }

    private func triggerDueEvents() async {
        let start = start ?? History.microseconds
        self.start = start
        // A tick slightly before an instant must also trigger its event.
        let now = History.microseconds + microseconds / 2
        while !isFinishing, start + (lastNumber + 1) * microseconds <= now {
            lastNumber += 1
            await call(lastNumber, due: start + lastNumber * microseconds)
        }
    }

    private func call(_ number: Int, due: Int) async {
        let isDurable = durableInterval > 0 && number % durableInterval == 0
        let ping = Ping(origin: process, number: number)
        history.write("raise \(ping.words) \(due) \(isDurable ? "durable" : "plain")")
        underWay += 1
        if isDurable {
            // The next event does not wait until this one is accepted.
            Task { await trigger(ping, .durable) }
        } else {
            await trigger(ping, .acknowledged)
        }
    }

    private func trigger(_ ping: Ping, _ delivery: DeliveryLevel) async {
        do {
            let raised = try await triggerEvent(
                ping, deadline: .seconds(600), delivery: delivery)
            history.write("raised \(ping.words) \(raised.id)")
            Task { await end(ping, raised) }
        } catch {
            end(ping, "refused", "\(error)")
        }
    }

    private func end(_ ping: Ping, _ raised: RaisedEvent) async {
        do {
            end(ping, "ended", try await raised.outcome.words)
        } catch {
            end(ping, "refused", "\(error)")
        }
    }

    private func end(_ ping: Ping, _ verb: String, _ words: String) {
        history.write("\(verb) \(ping.words) \(words)")
        underWay -= 1
        recordQuiet()
    }

    private func finish() {
        isFinishing = true
        recordQuiet()
    }

    /// Records `quiet` once, after the last event has ended.
    private func recordQuiet() {
        guard isFinishing, underWay == 0, !hasFinished else {
            return
        }
        hasFinished = true
        history.write("quiet")
    }
}

/// The handler of the measured round trips.
struct Echo: Sendable {
    let history: History

    @Environment(\.visit) private var visit

    /// Returns a node that handles each ``Ping``.
    func handling(_ node: Node) -> Node {
        node.task { history.write("attached") }
            .handle(Ping.self) { ping in
                let mark = visit?.isRedelivered == true ? "again" : "first"
                history.write("visit \(ping.words) \(visit?.id.description ?? "-") \(mark)")
                history.write("handled \(ping.words)")
            }
    }
}
