// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// The values that a node sets, offers and watches.
struct EnvironmentOptions: ParsableArguments {
    @Option(
        name: .customLong("env"),
        help: ArgumentHelp(
            "Value to set for the nodes below; may be repeated.", valueName: "key=json"))
    var values: [String] = []

    @Option(
        name: .customLong("env-self"),
        help: ArgumentHelp(
            "Value to set for the node and the nodes below; may be repeated.", valueName: "key=json"
        ))
    var ownValues: [String] = []

    @Option(
        name: .customLong("watch-env"),
        help: ArgumentHelp(
            "Key of the environment whose changes are printed; may be repeated.", valueName: "key"),
        transform: EventName.argument)
    var watchedKeys: [EventName] = []

    @Option(
        name: .customLong("prefer"),
        help: ArgumentHelp(
            """
            Preference to offer, with the reducer that combines it with those of the nodes beside \
            it: sum, min, max, all, any, first, append or merge. It replaces the offers of the \
            nodes below.
            """, valueName: "key=json:reducer"))
    var offers: [String] = []

    @Option(
        name: .customLong("watch-preference"),
        help: ArgumentHelp(
            "Key of the subtree's preferences whose changes are printed; may be repeated.",
            valueName: "key"),
        transform: EventName.argument)
    var watchedPreferences: [EventName] = []

    @Option(
        name: .customLong("rule"),
        help: ArgumentHelp(
            """
            Rule that derives a value where none is set, for the node and its subtree, as in \
            'platform == "watch" => details <= "minimal" ; high'.
            """, valueName: "rule"))
    var rules: [String] = []

    /// Returns the assignments. Throws ``Stop`` for an invalid key, a key with two values, or a value
    /// that is not JSON.
    func assignments() throws -> Assignments {
        let settings =
            try values.map { try EnvironmentSetting(argument: $0) }
            + ownValues.map { try EnvironmentSetting(argument: $0, isForItself: true) }
        try settings.expectDistinctKeys()
        let offers = try offers.map { try PreferenceOffer(argument: $0) }
        try offers.expectDistinctKeys()
        return Assignments(
            settings: settings, watchedKeys: watchedKeys, offers: offers,
            watchedPreferences: watchedPreferences, rules: rules)
    }
}

/// The options of commands that set values from outside the tree.
struct SettingOptions: ParsableArguments {
    @OptionGroup var bus: BusOptions
    @OptionGroup var output: PlainOutputOptions

    @Option(
        help: ArgumentHelp(
            "Path of the values, which are read at and below it.", valueName: "path"),
        completion: .nodes, transform: NodePath.argument)
    var at: NodePath = .root

    /// Sets all values or none of them, and prints them.
    ///
    /// - Parameter needsNode: Whether to warn if no node is at the path.
    func set(_ settings: [EnvironmentSetting], needsNode: Bool) async throws {
        let warning = try await bus.withBus { bus in
            _ = try await bus.link.send {
                SetEnvironment(request: $0, path: at, Assignments(settings: settings))
            }
            return needsNode ? await absence(on: bus) : nil
        }
        output.show(ShownDocument(SettingsDocument(at: at, settings)))
        if let warning {
            Output.diagnostic(warning)
        }
    }

    /// Returns a warning if no node is at the path.
    private func absence(on bus: Bus) async -> String? {
        do {
            _ = try await bus.link.query(.tree(path: at, depth: 0))
            return nil
        } catch let error as CascadeError where error.reason == .noSuchNode {
            let suggestion = Spelling.question(await bus.nearestPaths(to: at.description))
            return "no node is at '\(at)' now; nodes that attach there or below will read the "
                + "values" + suggestion
        } catch {
            return nil
        }
    }
}

/// The option for the node whose environment is read.
struct ReaderOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Path of the node whose environment is read.", valueName: "path"),
        completion: .nodes,
        transform: NodePath.argument)
    var at: NodePath = .root
}

// MARK: - Arguments

/// An argument of the form `KEY=JSON`.
struct KeyAndValue {
    let key: EventName
    /// The JSON in its shortest form.
    let json: String

    /// Parses the argument. Throws ``Stop`` for an invalid key, or a value that is not JSON.
    init(_ text: some StringProtocol, form: String = "KEY=JSON") throws {
        guard let equals = text.firstIndex(of: "=") else {
            throw Stop(.usage, "'\(text)' is not of the form \(form)")
        }
        key = try EventName(String(text[..<equals]))
        do throws(JSONError) {
            json = try JSONValue(parsing: String(text[text.index(after: equals)...])).text
        } catch {
            throw Stop(
                .badData,
                "the value of '\(key)' is not JSON: \(error); write a string as '\"…\"'")
        }
    }
}

extension EnvironmentSetting {
    /// Parses `KEY=JSON`. Throws ``Stop`` if it is invalid.
    init(argument: String, isForItself: Bool = false, isSticky: Bool = false) throws {
        let parsed = try KeyAndValue(argument)
        self.init(parsed.key, parsed.json, isForItself: isForItself, isSticky: isSticky)
    }
}

extension [EnvironmentSetting] {
    /// Throws ``Stop`` if two settings have the same key: one of the values would be lost.
    func expectDistinctKeys() throws {
        try map(\.key).expectDistinct()
    }
}

extension [PreferenceOffer] {
    /// Throws ``Stop`` if two offers have the same key: one of the values would be lost.
    func expectDistinctKeys() throws {
        try map(\.key).expectDistinct()
    }
}

extension [EventName] {
    fileprivate func expectDistinct() throws {
        var keys: Set<EventName> = []
        if let twice = first(where: { !keys.insert($0).inserted }) {
            throw Stop(.usage, "the key '\(twice)' is given twice; give it one value")
        }
    }
}

extension PreferenceOffer {
    /// Parses `KEY=JSON:REDUCER`. Throws ``Stop`` if it is invalid.
    init(argument: String) throws {
        let form = "KEY=JSON:REDUCER"
        guard let colon = argument.lastIndex(of: ":") else {
            throw Stop(.usage, "'\(argument)' is not a preference of the form \(form)")
        }
        let word = String(argument[argument.index(after: colon)...])
        guard let reducer = PreferenceReducer(name: word) else {
            throw Stop(.usage, PreferenceReducer.unknownReducer(word))
        }
        let parsed = try KeyAndValue(argument[..<colon], form: form)
        self.init(parsed.key, parsed.json, reducer)
    }
}

extension PreferenceReducer {
    /// Returns the error message for an unknown reducer.
    static func unknownReducer(_ word: String) -> String {
        let all = allCases.map(\.name).joined(separator: ", ")
        return "unknown reducer '\(word)'; the reducers are \(all)"
    }
}
