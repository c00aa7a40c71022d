// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire
import Logging
import Synchronization

/// Carries out the actions that pages ask for, and logs each.
final class Actions: Sendable {
    let admitted: Set<ActionKind>
    private let ledger = ActionLedger()
    private let logger: Logger
    private let counts = Mutex<[Outcome: UInt64]>([:])

    /// An action and its outcome, or the name of its refusal.
    struct Outcome: Hashable, Comparable {
        let kind: ActionKind
        let word: String

        static func < (one: Outcome, other: Outcome) -> Bool {
            (one.kind.rawValue, one.word) < (other.kind.rawValue, other.word)
        }
    }

    init(admitted: Set<ActionKind>, logger: Logger) {
        self.admitted = admitted
        self.logger = logger
    }

    /// The number of actions with each outcome since the start.
    var outcomes: [(outcome: Outcome, count: UInt64)] {
        counts.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Answers a request for an action. Throws ``Refusal``.
    ///
    /// - Parameters:
    ///   - name: The name of the action, from the address.
    ///   - user: The user that requests the action, for the log.
    func answer(
        _ name: String, _ request: Request, by user: String, on buses: Buses
    ) async throws(Refusal) -> String {
        guard let kind = ActionKind(rawValue: name) else {
            throw Refusal(404, "noAction", "There is no action '\(name.escapedForDisplay())'.")
        }
        do throws(Refusal) {
            try ActionRights.check(kind, isAmong: admitted)
            let json = try request.json(depthMax: 80)
            let action = try ActionRequest(kind, json)
            let session = try buses.named(json["bus"]?.string).session
            let key = ActionLedger.Key(name: action.name, kind: kind, body: request.body)
            return try await ledger.answer(to: key) { [self] in
                await carryOut(action, by: user, on: session)
            }
        } catch {
            if !error.isLogged {
                record(kind, "", by: user, outcome: error.name)
            }
            throw error
        }
    }

    private func carryOut(
        _ action: ActionRequest, by user: String, on session: BusSession
    ) async -> Result<String, Refusal> {
        do throws(Refusal) {
            let run = ActionRun(request: action, link: try await session.link())
            let (text, outcome) = try await run.document()
            record(action.kind, action.subject, by: user, outcome: outcome)
            return .success(text)
        } catch {
            record(action.kind, action.subject, by: user, outcome: error.name)
            var refusal = error
            refusal.isLogged = true
            return .failure(refusal)
        }
    }

    private func record(_ kind: ActionKind, _ subject: String, by user: String, outcome: String) {
        counts.withLock { $0[Outcome(kind: kind, word: outcome), default: 0] += 1 }
        let words = subject.isEmpty ? "" : " \(subject.escapedForDisplay(limit: 512))"
        logger.notice("\(user) asked for \(kind.rawValue)\(words): \(outcome)")
    }
}
