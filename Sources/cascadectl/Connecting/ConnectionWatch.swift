// SPDX-License-Identifier: Apache-2.0

import Cascade
import Synchronization

/// The detection of a lost and restored connection, for commands that go on, whose output is
/// outdated meanwhile.
final class ConnectionWatch: Sendable {
    private struct State {
        var lastSeen = Timestamp.now
        var lastSign = ContinuousClock.now
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

    /// The number of beats that may be missed, because a busy machine delays some.
    private static let beatsMax = 5

    /// - Parameter onChange: Called once for each loss and each return, in order, and before
    ///   anything that the bus sends after its return.
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
                lose(&state, isSilent: false)
            case .welcomed(let welcome):
                hear(&state, isRestarted: welcome.processID != state.processID)
                state.processID = welcome.processID
            }
        }
    }

    /// Records a beat.
    func heard() {
        state.withLock { hear(&$0, isRestarted: false) }
    }

    /// Reports a loss if the bus has been silent for too long.
    func look() {
        state.withLock { state in
            if ContinuousClock.now - state.lastSign > silenceMax {
                lose(&state, isSilent: true)
            }
        }
    }

    private func lose(_ state: inout State, isSilent: Bool) {
        guard !state.isLost else {
            return
        }
        state.isLost = true
        tell(.lost(isSilent: isSilent), state)
    }

    private func hear(_ state: inout State, isRestarted: Bool) {
        if state.isLost {
            tell(.restored(isRestarted: isRestarted, hasGap: state.isBroken), state)
        }
        state.isLost = false
        state.isBroken = false
        state.lastSeen = .now
        state.lastSign = .now
    }

    private func tell(_ change: ConnectionDocument.State, _ state: State) {
        onChange(
            ConnectionDocument(
                endpoint: endpoint, state: change, when: .now, lastSeen: state.lastSeen))
    }
}
