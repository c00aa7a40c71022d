// SPDX-License-Identifier: Apache-2.0

/// A change that a page may ask for.
package enum ActionKind: String, Sendable, CaseIterable {
    case retry, trigger, publish, set, activate, deactivate, drain, detach, move, clear

    /// The words of `--allow-actions`. One of them covers both directions of activity.
    package static let words = allCases.filter { $0 != .deactivate }.map(\.rawValue)

    /// Returns the actions that a list such as `retry,clear` names; `nil` if a word of it is none.
    package static func named(_ list: String) -> Set<ActionKind>? {
        var kinds: Set<ActionKind> = []
        for word in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard words.contains(String(word)), let kind = ActionKind(rawValue: String(word)) else {
                return nil
            }
            kinds.insert(kind)
        }
        if kinds.contains(.activate) {
            kinds.insert(.deactivate)
        }
        return kinds
    }

    /// The verb that policy must allow.
    var verb: String {
        switch self {
        case .trigger: "trigger"
        case .publish: "publish"
        case .set: "set"
        case .retry, .activate, .deactivate, .drain, .detach, .move, .clear: "administer"
        }
    }
}
