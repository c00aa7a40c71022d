// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Environment, rules and preferences.
///
/// Like declarations, values are written field by field, so that scenarios can have invalid ones.
extension ScenarioBus {
    // MARK: - Setting

    /// `set anna /shop KEY=JSON KEY=JSON [self] [sticky] [outside]`, as the node if it is anna's,
    /// or else from outside. What an attach declares is understood too: `watch:KEY`, `rule:…`.
    mutating func set(_ command: ScenarioCommand) throws(Unusable) {
        var fields = FieldWriter()
        for (key, json) in command.options {
            Self.write(
                key, json, isForItself: command.has("self"), isSticky: command.has("sticky"),
                to: &fields)
        }
        try set(command, &fields)
    }

    /// `unset anna /shop KEY KEY [outside]`
    mutating func unset(_ command: ScenarioCommand) throws(Unusable) {
        var fields = FieldWriter()
        for key in command.words.dropFirst(2) where key != "outside" {
            Self.write(key, nil, isForItself: false, isSticky: false, to: &fields)
        }
        try set(command, &fields)
    }

    private mutating func set(
        _ command: ScenarioCommand, _ fields: inout FieldWriter
    ) throws(Unusable) {
        let place = try place(named: command.word(0))
        let path = try command.word(1)
        var node = peers[place].node(path) ?? Header.noNode
        if command.has("outside") {
            node = Header.noNode
        }
        if node == Header.noNode {
            fields.append(.path, path)
        }
        for word in command.words.dropFirst(2) {
            _ = try declareEnvironment(
                word.split(separator: ":", maxSplits: 1).map(String.init), to: &fields)
        }
        receive(
            Header(.set, node: node, id: nextRequest(place)), fields: fields, from: place)
    }

    private static func write(
        _ key: String, _ json: String?, isForItself: Bool, isSticky: Bool,
        isFallback: Bool = false, source: ValueSource? = nil, to fields: inout FieldWriter
    ) {
        fields.append(.value) { value in
            value.append(.key, key)
            if let json {
                value.append(.text, json)
            }
            value.append(.isForItself, if: isForItself)
            value.append(.isSticky, if: isSticky)
            value.append(.isFallback, if: isFallback)
            source?.write(to: &value)
        }
    }

    /// `/hq:/shop`, or `/hq:/shop!` for a source that is stale.
    private static func source(_ text: String) -> ValueSource {
        let isStale = text.hasSuffix("!")
        return ValueSource(isStale ? String(text.dropLast()) : text, isStale: isStale)
    }

    /// `env:KEY=JSON`, `env-self:KEY=JSON`, `env-sticky:KEY=JSON`, `env-fallback:KEY=JSON`, each with `@SOURCE`
    /// or `@SOURCE!` after it for a value of another bus, `watch:KEY`,
    /// `prefer:KEY=JSON:REDUCER` (`prefer:KEY=:REDUCER` to take it back), `watch-preference:KEY`,
    /// `rule:LINE`. Returns whether it is one of these.
    func declareEnvironment(
        _ sides: [String], to fields: inout FieldWriter
    ) throws(Unusable) -> Bool {
        let value = sides.count == 2 ? sides[1] : ""
        let pair = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map(String.init)
        switch sides.first {
        case "env", "env-self", "env-sticky", "env-fallback", "env-self-fallback",
            "env-sticky-fallback":
            guard pair.count == 2 else {
                throw Unusable(reason: "write env:KEY=JSON")
            }
            let kind = sides[0].split(separator: "-")
            let value = pair[1].split(separator: "@").map(String.init)
            Self.write(
                pair[0], value[0], isForItself: kind.contains("self"),
                isSticky: kind.contains("sticky"), isFallback: kind.contains("fallback"),
                source: value.count > 1 ? Self.source(value[1]) : nil, to: &fields)
        case "watch": fields.append(.watchedKey, value)
        case "watch-preference": fields.append(.watchedPreference, value)
        case "rule": fields.append(.rule, value)
        case "prefer":
            let parts = pair.last?.split(separator: ":", omittingEmptySubsequences: false) ?? []
            let reducer = PreferenceReducer.allCases.first { $0.name[...] == parts.last ?? "" }
            guard pair.count == 2, let reducer else {
                throw Unusable(reason: "write prefer:KEY=JSON:REDUCER")
            }
            let json = parts.dropLast().joined(separator: ":")
            fields.append(.preference) { offer in
                offer.append(.key, pair[0])
                if !json.isEmpty {
                    offer.append(.text, json)
                }
                offer.append(.reducer, reducer.rawValue)
            }
        default: return false
        }
        return true
    }

    // MARK: - Rules

    /// `load shop.rules LINE LINE + other.rules LINE`: loads these files.
    mutating func load(_ command: ScenarioCommand) {
        handle(.rules(command.words.split(separator: "+").map(Self.file)))
    }

    private static func file(_ words: ArraySlice<String>) -> RuleModelFile {
        RuleModelFile(
            file: words.first ?? "", text: words.dropFirst().joined(separator: "\n"))
    }

    // MARK: - Queries

    /// `env /shop [KEY]`, `explain KEY /shop`, `env-tree KEY [/shop]`, `preferences [/shop]`,
    /// `rules`, `rules-diff shop.rules LINE LINE`
    static func environmentQuery(_ words: [String]) throws -> Query.Subject? {
        let path = try words.first { $0.hasPrefix("/") }.map { try NodePath($0) } ?? .root
        let key = try words.dropFirst().first { !$0.hasPrefix("/") }.map { try EventName($0) }
        switch (words.first, key) {
        case ("env", _): return .environment(path: path, key: key)
        case ("explain", let key?): return .explanation(key: key, path: path)
        case ("env-tree", let key?): return .environmentTree(key: key, path: path)
        case ("preferences", _): return .preferences(path: path)
        case ("rules", _): return .rules
        case ("rules-diff", _):
            let file = file(words.dropFirst())
            return .rulesDifference(file: file.file, text: file.text)
        default: return nil
        }
    }

    // MARK: - Answers

    /// The changes reported to a node, one per line.
    func lines(_ changes: EnvironmentChanges, in place: Int) -> [String] {
        let own = peers[place].ownNodes.first { $0.value == changes.node }?.key
        let path = own?.description ?? "UNDEFINED"
        let kind = changes.isSnapshot ? "snapshot" : "changes"
        return ["\(peers[place].name) < \(kind) \(path)"]
            + changes.changes.map { change in
                let what = change.isPreference ? "preference \(change.key)" : "\(change.key)"
                let new = change.new ?? "nothing"
                return changes.isSnapshot
                    ? "  \(what) \(new)" : "  \(what) \(change.old ?? "nothing") → \(new)"
            }
    }
}
