// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// A line that a program of a node writes.
enum InputLine {
    case verdict(id: String, Answer)
    case raise(Raised)
    case assign(Assigned)
    case active(Bool)

    /// A message that the node is to raise.
    struct Raised {
        var raising: Raising
        var options: RaiseOptions
        /// The ID of the visit that caused the message.
        var cause: String?
        /// The line's own reference, returned with the outcome.
        var ref: JSONValue?
    }

    /// The reason why a line is invalid, as a sentence for the author of the program.
    struct Problem: Error {
        let message: String
        let ref: JSONValue?
    }

    /// Parses a line. Throws ``Problem`` if it is invalid.
    ///
    /// - Parameter node: The path of the node that the line is for.
    init(_ text: String, from node: NodePath) throws(Problem) {
        let line: JSONValue
        do throws(JSONError) {
            line = try JSONValue(parsing: text)
        } catch {
            throw Problem(message: "the line is not JSON: \(error)", ref: nil)
        }
        do {
            self = try Self.parse(line, from: node)
        } catch let error as NameError {
            throw Problem(message: error.description, ref: line["ref"])
        } catch let error as Problem {
            throw error
        } catch {
            throw Problem(message: "\(error)", ref: line["ref"])
        }
    }

    private static func parse(_ line: JSONValue, from node: NodePath) throws -> InputLine {
        if line["verdict"] != nil {
            return try verdict(line)
        }
        if let raised = try Raised(line, from: node) {
            return .raise(raised)
        }
        if let assigned = try Assigned(line) {
            return .assign(assigned)
        }
        if let active = line["active"] {
            guard let active = active.bool else {
                throw Problem("'active' must be true or false", line)
            }
            return .active(active)
        }
        throw Problem("the line is not a verdict, a message or an assignment", line)
    }

    // MARK: - Verdicts

    private static func verdict(_ line: JSONValue) throws -> InputLine {
        guard let id = line["id"]?.string else {
            throw Problem("a verdict needs an 'id'", line)
        }
        return .verdict(id: id, try answer(line))
    }

    private static func answer(_ line: JSONValue) throws -> Answer {
        switch line["verdict"]?.string {
        case "handled": return .handled(reply: line["reply"].map { Array($0.text.utf8) } ?? [])
        case "notHandled": return .notHandled
        case "replaced":
            return .replaced(
                try line["name"].map { try name($0, line) },
                line["payload"].map { Array($0.text.utf8) })
        case "failed":
            guard let error = line["error"] else {
                throw Problem("the verdict 'failed' needs an 'error'", line)
            }
            return .failed(
                Failure(
                    name: try name(error, line), message: try text("message", line),
                    title: try text("title", line)))
        default:
            throw Problem("a verdict must be handled, notHandled, replaced or failed", line)
        }
    }

    // MARK: - Members

    static func name(_ value: JSONValue, _ line: JSONValue) throws -> EventName {
        guard let name = value.string else {
            throw Problem("a name is not a string", line)
        }
        return try EventName(name)
    }

    /// Returns an optional member of type string.
    static func text(_ key: String, _ line: JSONValue) throws(Problem) -> String? {
        try member(key, line, "a string") { $0.string }
    }

    /// Returns an optional member of type boolean; `false` by default.
    static func flag(_ key: String, _ line: JSONValue) throws(Problem) -> Bool {
        try member(key, line, "true or false") { $0.bool } ?? false
    }

    /// Returns an optional member with a duration, in milliseconds; 0 by default.
    static func time(_ key: String, _ line: JSONValue) throws(Problem) -> UInt32 {
        try member(key, line, "a duration: write \"250ms\", \"5s\" or \"2m\"") { value in
            value.string.flatMap { TimeSpan($0) }
        }?.milliseconds ?? 0
    }

    private static func member<Value>(
        _ key: String, _ line: JSONValue, _ what: String, _ read: (JSONValue) -> Value?
    ) throws(Problem) -> Value? {
        guard let value = line[key] else {
            return nil
        }
        guard let value = read(value) else {
            throw Problem("'\(key)' is not \(what)", line)
        }
        return value
    }
}

extension InputLine.Problem {
    init(_ message: String, _ line: JSONValue) {
        self.init(message: message, ref: line["ref"])
    }
}
