// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// The near end of the measured round trips: it triggers an event at each instant of a
/// schedule, whether or not the earlier ones have ended.
///
/// A time is measured from the instant of the schedule, so that a bus that stops for a
/// second delays all events of that second, and not only the one under way.
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
    ///   - microseconds: the time between two instants of the schedule.
    ///   - durableInterval: every how many events one is durable; 0 for none.
    init(process: String, microseconds: Int, durableInterval: Int, history: History) {
        self.process = process
        self.microseconds = microseconds
        self.durableInterval = durableInterval
        self.history = history
    }

    nonisolated func calling(_ node: Node) -> Node {
        node.task { self.history.write("attached") }
            .every(.microseconds(microseconds)) { await self.callWhatIsDue() }
            .onSignal(SIGUSR1) { await self.finish() }
    }

    private func callWhatIsDue() async {
        let start = start ?? History.microseconds
        self.start = start
        // A tick that comes a moment before its instant must not leave the event to the next one.
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
            // The next event does not wait until this one is on disk.
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
        sayQuiet()
    }

    private func finish() {
        isFinishing = true
        sayQuiet()
    }

    private func sayQuiet() {
        guard isFinishing, underWay == 0, !hasFinished else {
            return
        }
        hasFinished = true
        history.write("quiet")
    }
}
