// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// A line that a program behind a node writes.
enum InputLine {
    case verdict(id: String, Answer)
    case raise(Raised)
    case assign(Assigned)
    case active(Bool)

    /// Something that the node is to raise.
    struct Raised {
        var raising: Raising
        var options: RaiseOptions
        /// The ID of the visit that made the node raise it.
        var cause: String?
        /// Comes back with the outcome.
        var ref: JSONValue?
    }

    /// Why a line is none of these, as a sentence for whoever wrote it.
    struct Problem: Error {
        let message: String
        let ref: JSONValue?
    }

    /// Throws ``Problem`` if the line says nothing that is understood.
    ///
    /// - Parameter node: whom the line speaks for.
    init(_ text: String, from node: NodePath) throws(Problem) {
        let line: JSONValue
        do throws(JSONError) {
            line = try JSONValue(parsing: text)
        } catch {
            throw Problem(message: "the line is no JSON: \(error)", ref: nil)
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
                throw Problem("'active' is neither true nor false", line)
            }
            return .active(active)
        }
        throw Problem("the line is no verdict, and nothing to raise or set", line)
    }

    // MARK: - Verdicts

    private static func verdict(_ line: JSONValue) throws -> InputLine {
        guard let id = line["id"]?.string else {
            throw Problem("a verdict names no 'id'", line)
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
                throw Problem("a 'failed' names no 'error'", line)
            }
            return .failed(
                Failure(
                    name: try name(error, line), message: try text("message", line),
                    title: try text("title", line)))
        default:
            throw Problem("a verdict is handled, notHandled, replaced or failed", line)
        }
    }

    // MARK: - Members

    static func name(_ value: JSONValue, _ line: JSONValue) throws -> EventName {
        guard let name = value.string else {
            throw Problem("a name is no string", line)
        }
        return try EventName(name)
    }

    /// A member that is a string where it is there.
    static func text(_ key: String, _ line: JSONValue) throws(Problem) -> String? {
        try member(key, line, "a string") { $0.string }
    }

    /// A member that is true or false where it is there.
    static func flag(_ key: String, _ line: JSONValue) throws(Problem) -> Bool {
        try member(key, line, "true or false") { $0.bool } ?? false
    }

    /// A member that is a duration where it is there, in milliseconds; 0 where it is not.
    static func time(_ key: String, _ line: JSONValue) throws(Problem) -> UInt32 {
        try member(key, line, "a time: write \"250ms\", \"5s\" or \"2m\"") { value in
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
