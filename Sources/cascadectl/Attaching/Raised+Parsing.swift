// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// Parsing of lines that raise a message.
extension InputLine.Raised {
    /// Returns `nil` if the line does not raise a message.
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

    /// Returns the member with the message's name, and the direction.
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
