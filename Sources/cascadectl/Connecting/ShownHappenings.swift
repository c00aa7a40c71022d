// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import Synchronization

/// The monitor events that have been shown. After a reconnect the bus repeats earlier events, which
/// are not shown again.
final class ShownHappenings: Sendable {
    private struct State {
        /// The time of the reconnect; later events have not been shown.
        var returned: Timestamp?
        var last: Timestamp?
        /// The events with the time of the last one.
        var atLast: Set<String> = []
        /// The IDs of the latest events that began: a restarted daemon begins durable ones again.
        var begun: Set<String> = []
        var begunInOrder: [String] = []
    }

    private static let begunMax = 8_192
    private let state = Mutex(State())

    /// Processes a change of the connection.
    func changed(_ connection: ConnectionDocument) {
        if case .restored = connection.state {
            state.withLock { $0.returned = connection.when }
        }
    }

    /// Records an event as shown. Returns whether it is new.
    func insert(_ happening: JSONValue) -> Bool {
        state.withLock { state in
            guard let when = happening["when"]?.string.flatMap({ Timestamp($0) }) else {
                return true
            }
            if state.returned != nil, Self.isShown(happening, when, state) {
                return false
            }
            Self.note(happening, when, &state)
            return true
        }
    }

    private static func isShown(
        _ happening: JSONValue, _ when: Timestamp, _ state: State
    ) -> Bool {
        if let id = beginning(in: happening), state.begun.contains(id) {
            return true
        }
        // A clock that was set back must not hide new events.
        guard let last = state.last, let returned = state.returned,
            when.microseconds < returned.microseconds
        else {
            return false
        }
        return when.microseconds < last.microseconds
            || (when == last && state.atLast.contains(happening.text))
    }

    private static func note(
        _ happening: JSONValue, _ when: Timestamp, _ state: inout State
    ) {
        if when != state.last {
            state.last = when
            state.atLast = []
        }
        state.atLast.insert(happening.text)
        if let id = beginning(in: happening), state.begun.insert(id).inserted {
            state.begunInOrder.append(id)
            if state.begunInOrder.count > 2 * begunMax {
                state.begun.subtract(state.begunInOrder.prefix(begunMax))
                state.begunInOrder.removeFirst(begunMax)
            }
        }
    }

    /// Returns the ID of the event that begins.
    private static func beginning(in happening: JSONValue) -> String? {
        happening["what"]?.string == "triggered" ? happening["id"]?.string : nil
    }
}
