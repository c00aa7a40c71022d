// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// The origin of a worker's messages. It records each message before it raises it, and each outcome.
actor Origin {
    private let process: String
    private let depth: Int
    private let history: History
    private var lastJob = 0
    private var lastTick = 0
    private var lastNotice = 0
    private var underWay = 0
    private var isFinishing = false
    private var hasFinished = false

    /// The limit of jobs under way.
    private static let underWayMax = 24

    @Environment(\.triggerEvent) private var triggerEvent
    @Environment(\.publisher) private var publisher

    init(process: String, depth: Int, history: History) {
        self.process = process
        self.depth = depth
        self.history = history
    }

    /// Returns a node that raises messages.
    nonisolated func raising(_ node: Node, every interval: Duration) -> Node {
        node.task { self.history.write("attached") }
            .every(interval) { try await self.raise() }
            .every(interval * 5) { await self.publish() }
            .onSignal(SIGUSR1) { await self.finish() }
            // The outcomes of durable events of a killed predecessor.
            .outcomes { end in self.history.write("told \(end.id) \(end.outcome.words)") }
    }

    // MARK: - Raising

    private func raise() async throws {
        guard !isFinishing, depth > 1, underWay < Self.underWayMax else {
            return
        }
        // The next event follows a durable one immediately, before that one is accepted.
        repeat {
            await trigger()
        } while Self.isDurable(lastJob)
        if lastJob % 4 == 0 {
            await emit()
        }
    }

    private func trigger() async {
        lastJob += 1
        let number = lastJob
        let job = Job(
            origin: process, number: number, depth: 1 + number % (depth - 1),
            isBroken: number % 19 == 0,
            filling: String(repeating: "x", count: number % 11 == 0 ? 3_000 : 0))
        let isDurable = Self.isDurable(number)
        begin(job, isDurable ? "\(job.depth) durable" : "\(job.depth)")
        if isDurable {
            Task { await raise(job, delivery: .durable) }
        } else {
            await raise(job, delivery: .acknowledged)
        }
    }

    /// Whether a job is durable. The distances between durable jobs are irregular.
    private static func isDurable(_ number: Int) -> Bool {
        number % 5 == 0 || number % 7 == 0
    }

    private func raise(_ job: Job, delivery: DeliveryLevel) async {
        do {
            let raised = try await triggerEvent(
                job, deadline: .seconds(3), onLoss: job.number % 2 == 0 ? .pass : .fail,
                delivery: delivery)
            history.write("raised \(job.words) \(raised.id)")
            Task {
                let end = await Self.end(of: raised)
                self.end(job, end)
            }
        } catch let error as CascadeError where error.reason == .timedOut {
            // No daemon was there, so the job was never sent.
            end(job, "ended timedOut /")
        } catch {
            end(job, "refused \(error)")
        }
    }

    private static func end(of raised: RaisedEvent) async -> String {
        do {
            return try await "ended \(raised.outcome.words)"
        } catch {
            return "refused \(error)"
        }
    }

    private func emit() async {
        lastTick += 1
        let tick = Tick(
            origin: process, number: lastTick, depth: 1 + lastTick % (depth - 1))
        history.write("emit \(tick.words) \(tick.depth)")
        // An emitted event may be lost, so a failure to send it is ignored.
        try? await triggerEvent.emit(tick)
    }

    /// Publishes a notice, and waits for its outcome, so that publications follow each other.
    private func publish() async {
        guard !isFinishing else {
            return
        }
        lastNotice += 1
        let notice = Notice(origin: process, number: lastNotice)
        begin(notice, "-")
        do {
            let outcome = try await publisher(for: Notice.self)(notice, deadline: .seconds(3))
            end(notice, "ended \(outcome.words)")
        } catch let error as CascadeError where error.reason == .timedOut {
            end(notice, "ended timedOut")
        } catch {
            end(notice, "refused \(error)")
        }
    }

    private func begin(_ work: some Work, _ manner: String) {
        underWay += 1
        history.write("raise \(work.words) \(manner)")
    }

    // MARK: - Outcomes

    private func end(_ work: some Work, _ end: String) {
        let verb = end.prefix { $0 != " " }
        history.write("\(verb) \(work.words)\(end.dropFirst(verb.count))")
        underWay -= 1
        recordQuiet()
    }

    private func finish() {
        isFinishing = true
        recordQuiet()
    }

    /// Records `quiet` once, after the last message has ended.
    private func recordQuiet() {
        guard isFinishing, underWay == 0, !hasFinished else {
            return
        }
        hasFinished = true
        history.write("quiet")
    }
}

extension Outcome {
    /// The outcome as words of the history: its kind, and its nodes and errors.
    var words: String {
        switch self {
        case .handled(let path): "handled \(path)"
        case .unhandled: "unhandled"
        case .timedOut(let path): "timedOut \(path)"
        case .failed(let failure): "failed \(failure.name) \(failure.node ?? .root)"
        case .caught(let failure, let path):
            "caught \(failure.name) \(failure.node ?? .root) \(path)"
        case .rejected(let failure): "rejected \(failure.name)"
        case .looped(let failure): "looped \(failure.name)"
        }
    }
}

extension PublicationOutcome {
    fileprivate var words: String {
        switch self {
        case .delivered(let paths):
            (["delivered"] + paths.map(\.description)).joined(separator: " ")
        case .noSubscriber: "noSubscriber"
        case .timedOut: "timedOut"
        case .failed(let failure): "failed \(failure.name) \(failure.node ?? .root)"
        }
    }
}
