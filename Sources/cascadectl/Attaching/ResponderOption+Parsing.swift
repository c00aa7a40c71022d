// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

extension ResponderOption {
    /// Reads the options that declare responders, in their order; each takes what stands behind it.
    /// Throws `ValidationError` where that makes no sense.
    static func list(_ occurrences: [OptionOccurrence]) throws -> [ResponderOption] {
        var options: [ResponderOption] = []
        for occurrence in occurrences {
            switch occurrence.name {
            case "--throw", "--delay":
                guard !options.isEmpty else {
                    throw ValidationError("\(occurrence.name) stands behind no responder")
                }
                try options[options.count - 1].add(occurrence)
            default:
                options.append(ResponderOption(role: try role(occurrence)))
            }
        }
        return options
    }

    private static func role(_ occurrence: OptionOccurrence) throws -> Role {
        let value = occurrence.value
        switch occurrence.name {
        case "--receive": return .responder(try declaration(.receive, value))
        case "--handle": return .responder(try declaration(.handle, value))
        case "--observe": return .responder(try declaration(.observe, value))
        case "--subscribe": return .subscription(try EventName.argument(value))
        case "--transform":
            guard let equals = value.firstIndex(of: "=") else {
                throw ValidationError("--transform is written FROM=TO, not '\(value)'")
            }
            return .transform(
                try declaration(.transform, String(value[..<equals])),
                to: try EventName.argument(String(value[value.index(after: equals)...])))
        default:
            throw ValidationError("\(occurrence.name) declares no responder")
        }
    }

    private static func declaration(
        _ kind: ResponderKind, _ name: String
    ) throws -> ResponderDeclaration {
        ResponderDeclaration(
            kind, name == NameRule.wildcard ? nil : try EventName.argument(name))
    }

    private mutating func add(_ occurrence: OptionOccurrence) throws {
        let isTaken = occurrence.name == "--throw" ? error != nil : delay != nil
        guard !isTaken else {
            throw ValidationError("\(occurrence.name) stands twice behind one responder")
        }
        if occurrence.name == "--throw" {
            error = try EventName.argument(occurrence.value)
            return
        }
        guard let time = TimeSpan(occurrence.value) else {
            throw ValidationError("'\(occurrence.value)' is no time: write 250ms, 5s or 2m")
        }
        delay = time
    }
}
