// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeService

/// One setting of the daemon. Its place in a file, flag, variable, help, checks and default all
/// derive from this description.
package struct Setting: Sendable {
    /// A member of the options.
    package typealias Member<Value> = any WritableKeyPath<DaemonOptions, Value> & Sendable

    /// The type of the values, and the member of the options that holds them. The member's initial
    /// value is the default.
    package enum Kind: Sendable {
        /// Milliseconds, written with a unit.
        case duration(Member<UInt32>, ClosedRange<UInt32>)
        case number(Member<UInt32>, ClosedRange<UInt32>)
        case choice(Member<String>, [String])
        /// Any text; no default.
        case text(Member<String?>)
        /// - Parameter fault: Returns why an element is invalid; `nil` if it is not.
        case list(
            Member<[String]>, atLeast: Int = 0, fault: @Sendable (String) -> String? = { _ in nil })
        case flag(Member<Bool>)
    }

    /// When a changed value takes effect.
    package enum Effect: Sendable {
        case atReload
        case atRestart
    }

    /// Section and name: `log.level`.
    package let key: String
    package let kind: Kind
    /// A description for people, in sentences.
    package let meaning: String
    /// The unit of a number or of a list's elements; empty if the type implies it.
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

    /// The parts of the key: a section, if any, and a name.
    package var components: [String] {
        key.split(separator: ".").map(String.init)
    }

    /// The flag that sets it, with its dashes. All limits share one flag.
    package var flag: String {
        isLimit
            ? "--limit" : "--" + components.map { Self.words($0, "-") }.joined(separator: "-")
    }

    /// The environment variable that sets it.
    package var variable: String {
        Self.variable(of: key)
    }

    static func variable(of key: String) -> String {
        "CASCADE_"
            + key.split(separator: ".").map { words(String($0), "_").uppercased() }
            .joined(separator: "_")
    }

    /// Whether the setting is a limit of the bus.
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

    /// The allowed values, as the end of a sentence.
    package var allowed: String {
        switch kind {
        case .duration(_, let range):
            "a time like 250ms, 5s, 2m or 1h, from \(Self.time(range.lowerBound)) to "
                + Self.time(range.upperBound)
        case .number(_, let range):
            "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .choice(_, let choices): "one of " + choices.joined(separator: ", ")
        case .text: "a text"
        case .list(_, let least, _):
            least > 0 ? "a list of at least \(least), [A, B]" : "a list, [A, B]"
        case .flag: "true or false"
        }
    }

    /// The placeholder of the value in the flag's help.
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

/// A checked value of a setting.
package enum SettingValue: Hashable, Sendable {
    case number(UInt32)
    case text(String)
    case list([String])
    case flag(Bool)
    /// An optional text without a value.
    case none
}

/// The reason why a value is invalid; the caller adds the origin to make a `SettingFault`.
struct SettingRefusal: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}

extension Setting {
    /// The limits of the bus, as settings.
    static let limits = Limit.all.map { limit in
        Setting(
            "limits.\(limit.name)", .number(\.[limit], limit.range), unit: limit.unit,
            limit.takesRestart ? .atRestart : .atReload, limit.meaning)
    }
}

extension DaemonOptions {
    fileprivate subscript(limit: Limit) -> UInt32 {
        get { limits[keyPath: limit.member] }
        set { limits[keyPath: limit.member] = newValue }
    }
}
