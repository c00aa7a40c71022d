// SPDX-License-Identifier: Apache-2.0

/// One option of the daemon, described once: its place in a file, its flag, its variable, its help,
/// its checks and its default all come from here.
package struct Setting: Sendable {
    /// A member of the options.
    package typealias Member<Value> = any WritableKeyPath<DaemonOptions, Value> & Sendable

    /// What its values are, and which member of the options they go to. That member's own value is
    /// the default.
    package enum Kind: Sendable {
        /// Milliseconds, written with a unit.
        case duration(Member<UInt32>, ClosedRange<UInt32>)
        case number(Member<UInt32>, ClosedRange<UInt32>)
        case choice(Member<String>, [String])
        /// Any text; none by default.
        case text(Member<String?>)
        case list(Member<[String]>, atLeast: Int = 0)
        case flag(Member<Bool>)
    }

    /// What it takes for a changed value to count.
    package enum Effect: Sendable {
        case atReload
        case atRestart
    }

    /// Its section and name: `log.level`.
    package let key: String
    package let kind: Kind
    /// What it is for: sentences.
    package let meaning: String
    /// What its number counts, or what a list is of; empty where the meaning says so.
    package let unit: String
    package let effect: Effect

    init(
        _ key: String, _ kind: Kind, unit: String = "", _ effect: Effect, _ meaning: String
    ) {
        self.key = key
        self.kind = kind
        self.unit = unit
        self.effect = effect
        self.meaning = meaning
    }

    // MARK: - Names

    package var components: [String] {
        key.split(separator: ".").map(String.init)
    }

    /// The flag that sets it, with its dashes. A limit has one in common with all others.
    package var flag: String {
        isLimit
            ? "--limit" : "--" + components.map { Self.words($0, "-") }.joined(separator: "-")
    }

    /// The variable that sets it.
    package var variable: String {
        "CASCADE_" + components.map { Self.words($0, "_").uppercased() }.joined(separator: "_")
    }

    package var isLimit: Bool {
        key.hasPrefix("limits.")
    }

    /// `nodesPerSession` as `nodes-per-session`.
    private static func words(_ name: String, _ separator: String) -> String {
        name.reduce(into: "") { text, character in
            text += character.isUppercase ? separator + character.lowercased() : "\(character)"
        }
    }

    // MARK: - Words

    /// What may be written, as the end of a sentence.
    package var allowed: String {
        switch kind {
        case .duration(_, let range):
            "a time like 250ms, 5s, 2m or 1h, from \(Self.time(range.lowerBound)) to "
                + Self.time(range.upperBound)
        case .number(_, let range):
            "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .choice(_, let choices): "one of " + choices.joined(separator: ", ")
        case .text: "a text"
        case .list(_, let least):
            least > 0 ? "a list of at least \(least), [A, B]" : "a list, [A, B]"
        case .flag: "true or false"
        }
    }

    /// For the help of its flag: in a few words, what stands behind it.
    package var placeholder: String {
        switch kind {
        case .duration: "time"
        case .number: unit.isEmpty ? "number" : unit
        case .choice(_, let choices): choices.joined(separator: "|")
        case .text: "path"
        case .list: unit.isEmpty ? "value" : unit
        case .flag: "true|false"
        }
    }
}
