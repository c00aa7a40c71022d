// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON

/// A responder or subscription of `attach`, with its modifiers from the command line.
struct ResponderOption: Sendable {
    enum Role: Sendable {
        case responder(ResponderDeclaration)
        /// A transform or catch, which replaces a message by one with another name.
        case replacement(ResponderDeclaration, by: EventName)
        case subscription(EventName)
    }

    var role: Role
    /// The error that answers its visits.
    var error: EventName?
    /// The delay before its verdict.
    var delay: TimeSpan?
    /// The reply to requests; by default, the request's payload.
    var reply: JSONValue?

    /// The responder's declaration; `nil` for a subscription.
    var declaration: ResponderDeclaration? {
        switch role {
        case .responder(let declaration), .replacement(let declaration, _): declaration
        case .subscription: nil
        }
    }

    /// The subscription's name; `nil` for a responder.
    var subscription: EventName? {
        if case .subscription(let name) = role { name } else { nil }
    }

    /// Whether its answer may be that it does not handle the message.
    var mayDecline: Bool {
        switch declaration?.kind {
        case .handle, .handleError, .transform, .transformError, .catch: false
        case nil, .receive, .receiveError, .respond, .observe: true
        }
    }

    /// The kind of responder in the printed lines; `subscribe` for a subscription.
    var kind: String {
        declaration?.kind.name ?? "subscribe"
    }
}

// MARK: - Parsing

extension ResponderOption {
    /// Parses the options that declare responders, in their order, each followed by its modifiers.
    /// Throws `ValidationError` for an invalid combination, and ``Stop`` for a reply that is not
    /// JSON.
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
        case "--delay": delay = try TimeSpan.argument(occurrence.value)
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

    /// Adds a predicate, which the bus validates.
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

// MARK: - Order of the options

/// One occurrence of an option among the arguments.
///
/// The order of the options is the order of the node's responders, and the argument parser keeps it
/// only within one option. So the arguments are searched for the names again, and each occurrence
/// takes the next of its option's parsed values.
struct OptionOccurrence: Equatable, Sendable {
    let name: String
    let value: String

    /// Returns the occurrences of the options in `values`, in their order.
    ///
    /// - Parameters:
    ///   - values: The parsed values of each option.
    ///   - arguments: The arguments of this process. Those after `--` are not options.
    static func all(
        _ values: [String: [String]], in arguments: some Sequence<String>
    ) -> [OptionOccurrence] {
        var rest = values.mapValues { $0[...] }
        return arguments.prefix { $0 != "--" }.compactMap { argument in
            let name = String(argument.prefix { $0 != "=" })
            return rest[name]?.popFirst().map { OptionOccurrence(name: name, value: $0) }
        }
    }
}
