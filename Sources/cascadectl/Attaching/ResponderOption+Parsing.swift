// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

extension ResponderOption {
    /// Parses the options that declare responders, in their order, with the modifiers after each.
    /// Throws `ValidationError` for an invalid combination.
    static func list(_ occurrences: [OptionOccurrence]) throws -> [ResponderOption] {
        var options: [ResponderOption] = []
        for occurrence in occurrences {
            guard modifiers.contains(occurrence.name) else {
                options.append(ResponderOption(role: try role(occurrence)))
                continue
            }
            guard !options.isEmpty else {
                throw ValidationError("\(occurrence.name) must follow a responder")
            }
            try options[options.count - 1].add(occurrence)
        }
        return options
    }

    /// The options that modify the responder before them.
    private static let modifiers: Set = ["--throw", "--delay", "--when", "--reply"]

    private static func role(_ occurrence: OptionOccurrence) throws -> Role {
        let value = occurrence.value
        switch occurrence.name {
        case "--receive": return .responder(try declaration(.receive, value))
        case "--handle": return .responder(try declaration(.handle, value))
        case "--observe": return .responder(try declaration(.observe, value))
        case "--respond": return .responder(try declaration(.respond, value))
        case "--receive-error": return .responder(try declaration(.receiveError, value))
        case "--handle-error": return .responder(try declaration(.handleError, value))
        case "--transform": return try replacement(.transform, occurrence, "FROM=TO")
        case "--transform-error": return try replacement(.transformError, occurrence, "FROM=TO")
        case "--catch": return try replacement(.catch, occurrence, "ERROR=EVENT")
        case "--subscribe": return .subscription(try EventName.argument(value))
        default: throw ValidationError("\(occurrence.name) does not declare a responder")
        }
    }

    private static func declaration(
        _ kind: ResponderKind, _ name: String
    ) throws -> ResponderDeclaration {
        ResponderDeclaration(
            kind, name == NameRule.wildcard ? nil : try EventName.argument(name))
    }

    private static func replacement(
        _ kind: ResponderKind, _ occurrence: OptionOccurrence, _ form: String
    ) throws -> Role {
        let value = occurrence.value
        guard let equals = value.firstIndex(of: "=") else {
            throw ValidationError("\(occurrence.name) has the form \(form), not '\(value)'")
        }
        return .replacement(
            try declaration(kind, String(value[..<equals])),
            by: try EventName.argument(String(value[value.index(after: equals)...])))
    }

    // MARK: - Modifiers

    private mutating func add(_ occurrence: OptionOccurrence) throws {
        guard !has(occurrence.name) else {
            throw ValidationError("\(occurrence.name) is given twice for one responder")
        }
        switch occurrence.name {
        case "--throw": error = try EventName.argument(occurrence.value)
        case "--delay": delay = try Self.time(occurrence.value)
        case "--when": try add(predicate: occurrence.value)
        default: try add(reply: occurrence.value)
        }
    }

    private func has(_ modifier: String) -> Bool {
        switch modifier {
        case "--throw": error != nil
        case "--delay": delay != nil
        case "--when": declaration?.when != nil
        default: reply != nil
        }
    }

    private static func time(_ text: String) throws -> TimeSpan {
        guard let time = TimeSpan(text) else {
            throw ValidationError("'\(text)' is not a duration: write 250ms, 5s or 2m")
        }
        return time
    }

    /// Adds a predicate. The bus validates it, because the bus evaluates it.
    private mutating func add(predicate: String) throws {
        switch role {
        case .responder(var declaration):
            declaration.when = predicate
            role = .responder(declaration)
        case .replacement(var declaration, let name):
            declaration.when = predicate
            role = .replacement(declaration, by: name)
        case .subscription:
            throw ValidationError("--when applies to a responder, not to a subscription")
        }
    }

    private mutating func add(reply text: String) throws {
        guard declaration?.kind == .respond else {
            throw ValidationError("--reply must follow --respond")
        }
        do throws(JSONError) {
            reply = try JSONValue(parsing: text)
        } catch {
            throw Stop(.badData, "the reply is not JSON: \(error)")
        }
    }
}
