// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// A session's assignments, preferences and watches, checked and read: applying them cannot fail.
struct PreparedAssignments {
    struct Setting {
        let key: KeyIndex
        /// `nil` withdraws the value.
        let value: KeyValue?
        let isForItself: Bool
        let isSticky: Bool
        var isFallback = false
        var source: ValueSource?
    }

    struct Offer {
        let key: KeyIndex
        /// `nil` withdraws the preference.
        let value: JSONValue?
        let reducer: PreferenceReducer
    }

    private(set) var settings: [Setting] = []
    private(set) var offers: [Offer] = []
    private(set) var watchedKeys: [KeyIndex] = []
    private(set) var watchedPreferences: [KeyIndex] = []
    private(set) var model: RuleModel?

    /// Reads assignments for a path and numbers their keys. Throws if they are invalid; keys
    /// numbered by then keep their numbers until a sweep.
    init(
        _ assignments: Assignments, of path: NodePath, by author: Provenance, at now: Instant,
        _ limits: Limits, _ keys: inout KeyTable
    ) throws(WireError) {
        for setting in assignments.settings {
            try Self.checkOrigin(of: setting, at: path, limits)
            let value = try setting.json.map { text throws(WireError) in
                KeyValue(try Self.read(text, of: setting.key, limits))
            }
            settings.append(
                Setting(
                    key: try Self.settableKey(setting.key, &keys), value: value,
                    isForItself: setting.isForItself, isSticky: setting.isSticky,
                    isFallback: setting.isFallback, source: setting.source))
        }
        for offer in assignments.offers {
            let value = try offer.json.map { text throws(WireError) in
                try Self.read(text, of: offer.key, limits)
            }
            try Self.check(value, fits: offer.reducer, offer.key)
            offers.append(
                Offer(
                    key: try keys.number(of: offer.key), value: value, reducer: offer.reducer))
        }
        watchedKeys = try Self.numbers(of: assignments.watchedKeys, &keys)
        watchedPreferences = try Self.numbers(of: assignments.watchedPreferences, &keys)
        if !assignments.rules.isEmpty {
            try Limits.check(
                assignments.rules.count, "rules of one node", limits.rulesPerNode,
                named: "rulesPerNode")
            model = try RuleCompiler.model(
                assignments.rules, of: path, since: now, by: author, &keys)
        }
        try checkCounts(limits)
    }

    /// The keys that get a value.
    var setKeys: Set<KeyIndex> {
        Set(settings.filter { $0.value != nil }.map(\.key))
    }

    /// The keys whose values stay when the node leaves.
    var stickyKeys: Set<KeyIndex> {
        Set(settings.filter { $0.isSticky && $0.value != nil }.map(\.key))
    }

    private static func numbers(
        of names: [EventName], _ keys: inout KeyTable
    ) throws(WireError) -> [KeyIndex] {
        var numbers: [KeyIndex] = []
        var seen: Set<KeyIndex> = []
        for name in names {
            let number = try keys.number(of: name)
            if seen.insert(number).inserted {
                numbers.append(number)
            }
        }
        return numbers
    }

    private static func settableKey(
        _ key: EventName, _ keys: inout KeyTable
    ) throws(WireError) -> KeyIndex {
        guard BuiltInKey(key) == nil else {
            throw WireError(.badKey, "'\(key)' is a built-in key, which cannot be set")
        }
        return try keys.number(of: key)
    }

    /// Throws if a node other than that at the root sets a value for another bus.
    private static func checkOrigin(
        of setting: EnvironmentSetting, at path: NodePath, _ limits: Limits
    ) throws(WireError) {
        guard path.isRoot || setting.isLocal else {
            throw WireError(
                .denied,
                "only a node at '/' sets fallback values, or tells where a value comes from; "
                    + "'\(setting.key)' is set at '\(path)'")
        }
        try Limits.check(
            setting.source?.text.utf8.count ?? 0, "bytes of the source of '\(setting.key)'",
            limits.valueBytes, named: "valueBytes")
    }

    private static func read(
        _ text: String, of key: EventName, _ limits: Limits
    ) throws(WireError) -> JSONValue {
        try Limits.check(
            text.utf8.count, "bytes of the value of '\(key)'", limits.valueBytes,
            named: "valueBytes")
        do {
            return try KeyValue.parse(text)
        } catch {
            throw WireError(.badValue, "the value of '\(key)' is \(error.description)")
        }
    }

    private static func check(
        _ value: JSONValue?, fits reducer: PreferenceReducer, _ key: EventName
    ) throws(WireError) {
        guard let value, !reducer.takes(value) else {
            return
        }
        throw WireError(
            .badValue,
            "the preference '\(key)' is reduced by \(reducer.name), which takes "
                + "\(reducer.domain)")
    }

    private func checkCounts(_ limits: Limits) throws(WireError) {
        for (count, what) in [
            (settings.count, "keys set by one node"),
            (watchedKeys.count, "keys watched by one node"),
            (offers.count, "preferences of one node"),
            (watchedPreferences.count, "preferences watched by one node"),
        ] {
            try Limits.check(count, what, limits.keysPerNode, named: "keysPerNode")
        }
    }
}

extension EnvironmentSetting {
    /// Whether it is a value of this bus alone.
    var isLocal: Bool {
        !isFallback && source == nil
    }
}

/// How assignments are applied.
extension Environment {
    /// The session that sets values, and when it does.
    struct Assigner {
        let author: Provenance
        let account: AccountIndex
        let now: Instant
    }

    /// A value that was set at a path; `nil` for one that was taken back.
    struct Assigned {
        let path: NodePath
        let key: EventName
        let value: KeyValue?
        /// Whether the node at the path set it.
        let isByNode: Bool
    }
}
