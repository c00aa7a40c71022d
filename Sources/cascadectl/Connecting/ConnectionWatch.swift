// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession
import Synchronization

/// The detection of a lost and restored connection, for commands whose output would silently become
/// outdated.
final class ConnectionWatch: Sendable {
    private struct State {
        /// The time of the last beat or welcome, by the calendar and by the clock for durations.
        var lastSeen = Timestamp.now
        var lastContact = ContinuousClock.now
        /// The daemon's process.
        var processID: UInt32
        /// Whether the loss has been reported.
        var isLost = false
        /// Whether the connection has broken since the last beat.
        var isBroken = false
    }

    private let endpoint: String
    private let silenceMax: Duration
    private let onChange: @Sendable (ConnectionDocument) -> Void
    private let state: Mutex<State>

    /// The number of beats that may fail to arrive, because a busy machine delays some.
    private static let beatsMax = 5

    /// - Parameter onChange: Called once for each loss and each return, in order. The call for a
    ///   return precedes all that the bus sends after it.
    init(_ bus: Bus, onChange: @escaping @Sendable (ConnectionDocument) -> Void) {
        endpoint = bus.endpoint
        silenceMax = .milliseconds(Int(max(bus.welcome.beatMilliseconds, 100))) * Self.beatsMax
        self.onChange = onChange
        state = Mutex(State(processID: bus.welcome.processID))
    }

    /// Processes a change of the link's connection.
    func changed(_ connection: LinkConnection) {
        state.withLock { state in
            switch connection {
            case .lost:
                state.isBroken = true
                reportLoss(&state, isSilent: false)
            case .welcomed(let welcome):
                recordContact(&state, isRestarted: welcome.processID != state.processID)
                state.processID = welcome.processID
            }
        }
    }

    /// Records a beat.
    func recordBeat() {
        state.withLock { recordContact(&$0, isRestarted: false) }
    }

    /// Reports a loss if the bus has been silent for too long.
    func checkSilence() {
        state.withLock { state in
            if ContinuousClock.now - state.lastContact > silenceMax {
                reportLoss(&state, isSilent: true)
            }
        }
    }

    private func reportLoss(_ state: inout State, isSilent: Bool) {
        guard !state.isLost else {
            return
        }
        state.isLost = true
        report(.lost(isSilent: isSilent), state)
    }

    private func recordContact(_ state: inout State, isRestarted: Bool) {
        if state.isLost {
            report(.restored(isRestarted: isRestarted, hasGap: state.isBroken), state)
        }
        state.isLost = false
        state.isBroken = false
        state.lastSeen = .now
        state.lastContact = .now
    }

    private func report(_ change: ConnectionDocument.State, _ state: State) {
        onChange(
            ConnectionDocument(
                endpoint: endpoint, state: change, when: .now, lastSeen: state.lastSeen))
    }
}

/// The loss or return of the connection to the bus while a command runs.
struct ConnectionDocument: Document {
    enum State: Sendable {
        /// - Parameter isSilent: Whether the bus has stopped answering; otherwise the connection is
        ///   closed.
        case lost(isSilent: Bool)
        case restored(isRestarted: Bool, hasGap: Bool)
    }

    let endpoint: String
    let state: State
    let when: Timestamp
    /// The time of the last beat before the loss.
    let lastSeen: Timestamp

    var json: JSONValue {
        var members: [JSONValue.Member] = []
        switch state {
        case .lost(let isSilent):
            members = JSONValue.memberList([
                "state": "lost", "reason": .string(isSilent ? "silent" : "disconnected"),
            ])
        case .restored(let isRestarted, let hasGap):
            members = JSONValue.memberList([
                "state": "restored",
                "restarted": .bool(isRestarted),
                "notSeen": hasGap
                    ? .members(["from": .text(lastSeen), "to": .text(when)]) : nil,
            ])
        }
        return .object(
            JSONValue.memberList(["schema": "cascade/v1/connection", "bus": .string(endpoint)])
                + members
                + JSONValue.memberList(["when": .text(when), "lastSeen": .text(lastSeen)]))
    }

    func text(_ style: Style) -> String {
        switch state {
        case .lost(let isSilent):
            let what = isSilent ? "has not answered" : "has been unreachable"
            return style.apply(
                .red,
                "the bus at \(endpoint) \(what) since \(lastSeen); waiting for it".safeForTerminal)
        case .restored(let isRestarted, let hasGap):
            let who = isRestarted ? "another daemon" : "the same daemon"
            let gap =
                hasGap
                ? "events from \(lastSeen) to \(when) were missed" : "without a gap"
            return style.apply(
                .yellow,
                "the bus at \(endpoint) is back at \(when), \(who); \(gap)".safeForTerminal)
        }
    }
}

// MARK: - Time limits

/// Answers the bus's beats while a command waits, and closes the session if the bus is silent at
/// the time limit. The bus may restart before.
actor SilenceWatch {
    private let bus: Bus
    private let limit: TimeSpan
    private let isFinal: Bool
    private let connection: ConnectionWatch?
    private var lastContact = ContinuousClock.now
    /// The error with which the bus ended the session.
    private(set) var violation: CascadeError?

    /// - Parameters:
    ///   - limit: The time for which the command may wait for a silent bus.
    ///   - isFinal: Whether the limit also holds for a bus that answers beats.
    ///   - connection: The detection of a lost connection; with it, `limit` is ignored.
    init(bus: Bus, limit: TimeSpan, isFinal: Bool, connection: ConnectionWatch? = nil) {
        self.bus = bus
        self.limit = limit
        self.isFinal = isFinal
        self.connection = connection
    }

    /// Answers beats until the link ends.
    func answerBeats() async {
        for await event in bus.link.work {
            switch event {
            case .beat(let beat):
                lastContact = .now
                connection?.recordBeat()
                await bus.link.beatAnswered(beat)
            case .welcomed:
                lastContact = .now
            case .violated(let error):
                violation = error
            case .noBusFound, .invoke, .cancelled, .moved, .environment, .detached,
                .settledBefore, .reattachRefused:
                break
            }
        }
    }

    /// Closes the link at the limit or, unless the limit is final, once the bus is silent after it.
    func closeAfterLimit() async throws {
        let beat = Duration.milliseconds(Int(max(bus.welcome.beatMilliseconds, 100)))
        while let connection {
            try await Task.sleep(for: beat)
            connection.checkSilence()
        }
        try await Task.sleep(for: .milliseconds(Int(limit.milliseconds)))
        while !isFinal, ContinuousClock.now - lastContact < beat * 3 {
            try await Task.sleep(for: beat)
        }
        await bus.link.close(
            CascadeError(
                .notRunning, "the bus at \(bus.endpoint) did not answer within \(limit)",
                reason: .timedOut))
    }
}
