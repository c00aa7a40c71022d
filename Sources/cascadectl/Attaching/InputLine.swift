// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// A line that the program behind a node writes.
enum InputLine {
    /// The answer to the visit with this ID.
    case verdict(id: String, Answer)
    case raise(Raised)
    case assign(InputValues)
    /// Whether the node is to be active, and the line's own reference.
    case active(Bool, ref: JSONValue?)

    /// A message that the node is to raise.
    struct Raised {
        var raising: Raising
        var options: RaiseOptions
        /// The ID of the visit that caused the message.
        var cause: String?
        /// The line's own reference, returned with the outcome.
        var ref: JSONValue?
    }

    /// The reason why a line is invalid, for the author of the program.
    struct Problem: Error {
        let message: String
        let ref: JSONValue?
    }

    /// Parses a line. Throws ``Problem`` if it is invalid.
    ///
    /// - Parameter node: The path of the node.
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
        let given = kinds.compactMap { members in members.first { line[$0] != nil } }
        guard given.count <= 1 else {
            throw Problem(
                "the line has '\(given[0])' and '\(given[1])'; write a line for each", line)
        }
        if line["verdict"] != nil {
            return try verdict(line)
        }
        if let raised = try Raised(line, from: node) {
            return .raise(raised)
        }
        if let assigned = try InputValues(line) {
            return .assign(assigned)
        }
        if let active = line["active"] {
            guard let active = active.bool else {
                throw Problem("'active' must be true or false", line)
            }
            return .active(active, ref: line["ref"])
        }
        throw Self.unknown(line)
    }

    /// The members that say what a line is. Only those of one list may stand together.
    private static let kinds = [
        ["verdict"], ["trigger"], ["report"], ["request"], ["cascade"], ["publish"],
        ["env", "unset", "prefer", "withdraw"], ["active"],
    ]

    /// Returns the problem of a line that is of no kind.
    private static func unknown(_ line: JSONValue) -> Problem {
        guard case .object(let members) = line else {
            return Problem("the line is not a JSON object", line)
        }
        let known = kinds.flatMap(\.self)
        let nearest =
            members.map { Spelling.nearest(to: $0.key, among: known) }
            .first { !$0.isEmpty } ?? []
        let names = known.map { "'\($0)'" }.joined(separator: ", ")
        return Problem(
            "the line has none of the members \(names)\(Spelling.question(nearest))", line)
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

// MARK: - Messages

extension InputLine.Raised {
    /// Parses a line that raises a message; returns `nil` for any other line.
    ///
    /// - Parameter node: The path of the origin.
    init?(_ line: JSONValue, from node: NodePath) throws {
        guard let (verb, direction) = try Self.direction(line), let name = line[verb] else {
            return nil
        }
        raising = Raising(
            name: try InputLine.name(name, line),
            payload: line["payload"].map { Array($0.text.utf8) } ?? [],
            attributes: try Self.attributes(line))
        options = RaiseOptions(
            direction, from: .node(node),
            deadlineMilliseconds: try InputLine.time("deadline", line))
        cause = try InputLine.text("cause", line)
        ref = line["ref"]
        switch direction {
        case .down:
            if try InputLine.flag("retain", line) {
                options.flags.insert(.retained)
            }
        case .upward(let lane):
            try read(line, lane)
        }
    }

    /// Reads the members for messages that go up.
    private mutating func read(_ line: JSONValue, _ lane: Lane) throws {
        options.flags.insert(.wantsTrail)
        if try InputLine.flag("includingSelf", line) {
            options.flags.insert(.includingSelf)
        }
        if try InputLine.flag("durable", line) {
            options.flags.insert(.durable)
        }
        if lane == .error {
            raising.message = try InputLine.text("message", line)
            raising.title = try InputLine.text("title", line)
        }
        options.holdMilliseconds = try InputLine.time("hold", line)
        switch try InputLine.text("onLoss", line) {
        case nil, "fail": break
        case "pass": options.flags.insert(.passOnLoss)
        case .some: throw InputLine.Problem("'onLoss' must be fail or pass", line)
        }
    }

    /// Returns the key of the member with the message's name, and the direction; `nil` if the line
    /// raises no message.
    private static func direction(
        _ line: JSONValue
    ) throws -> (String, RaiseOptions.Direction)? {
        let lanes: KeyValuePairs<String, Lane> = [
            "trigger": .event, "report": .error, "request": .request, "cascade": .cascade,
        ]
        if let (verb, lane) = lanes.first(where: { line[$0.key] != nil }) {
            return (verb, .upward(lane))
        }
        return line["publish"] == nil ? nil : ("publish", .down(try destination(line)))
    }

    private static func destination(_ line: JSONValue) throws -> PublishingDestination {
        guard let to = line["to"] else {
            return .last
        }
        guard let destination = to.string.flatMap(PublishingDestination.init(name:)) else {
            throw InputLine.Problem("'to' must be last, lastLevel, firstLevel or all", line)
        }
        return destination
    }

    private static func attributes(_ line: JSONValue) throws -> [Attribute] {
        guard let attributes = line["attributes"] else {
            return []
        }
        guard case .object(let members) = attributes else {
            throw InputLine.Problem("'attributes' is not an object", line)
        }
        return try members.map { member in
            guard let value = member.value.string else {
                throw InputLine.Problem("the attribute '\(member.key)' is not a string", line)
            }
            return Attribute(member.key, value)
        }
    }
}
