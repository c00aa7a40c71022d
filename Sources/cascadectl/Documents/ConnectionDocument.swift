// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// A change of the connection to the bus while a command goes on.
struct ConnectionDocument: Document {
    enum State: Sendable {
        /// The connection is closed, or the bus is silent.
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
