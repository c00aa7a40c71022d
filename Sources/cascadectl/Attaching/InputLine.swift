// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession

/// A line that a program behind a node writes.
enum InputLine {
    case verdict(id: String, Answer)
    case raise(Raising, RaiseOptions, ref: JSONValue?)
    case active(Bool)

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
            line = try JSONParser.parse(text)
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
        if line["trigger"] != nil {
            return try trigger(line, from: node)
        }
        if line["publish"] != nil {
            return try publish(line, from: node)
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
        case "handled": return .handled
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
                Failure(name: try name(error, line), message: line["message"]?.string))
        default:
            throw Problem("a verdict is handled, notHandled, replaced or failed", line)
        }
    }

    // MARK: - What is raised

    private static func trigger(_ line: JSONValue, from node: NodePath) throws -> InputLine {
        var options = RaiseOptions(
            .up, from: .node(node), deadlineMilliseconds: try deadline(line), flags: .wantsTrail)
        if line["includingSelf"]?.bool == true {
            options.flags.insert(.includingSelf)
        }
        return .raise(try raising(line, "trigger"), options, ref: line["ref"])
    }

    private static func publish(_ line: JSONValue, from node: NodePath) throws -> InputLine {
        var destination = PublishingDestination.last
        if let to = line["to"] {
            guard let named = to.string.flatMap(PublishingDestination.init(name:)) else {
                throw Problem("'to' is last, lastLevel, firstLevel or all", line)
            }
            destination = named
        }
        let options = RaiseOptions(
            .down(destination), from: .node(node), deadlineMilliseconds: try deadline(line))
        return .raise(try raising(line, "publish"), options, ref: line["ref"])
    }

    private static func raising(_ line: JSONValue, _ verb: String) throws -> Raising {
        Raising(
            name: try name(line[verb] ?? .null, line),
            payload: line["payload"].map { Array($0.text.utf8) } ?? [],
            attributes: try attributes(line))
    }

    private static func attributes(_ line: JSONValue) throws -> [Attribute] {
        guard let attributes = line["attributes"] else {
            return []
        }
        guard case .object(let members) = attributes else {
            throw Problem("'attributes' is no object", line)
        }
        return try members.map { member in
            guard let value = member.value.string else {
                throw Problem("the attribute '\(member.key)' is no string", line)
            }
            return Attribute(member.key, value)
        }
    }

    private static func deadline(_ line: JSONValue) throws -> UInt32 {
        guard let deadline = line["deadline"] else {
            return 0
        }
        guard let time = deadline.string.flatMap({ TimeSpan($0) }) else {
            throw Problem("'deadline' is no time: write \"250ms\", \"5s\" or \"2m\"", line)
        }
        return time.milliseconds
    }

    private static func name(_ value: JSONValue, _ line: JSONValue) throws -> EventName {
        guard let name = value.string else {
            throw Problem("a name is no string", line)
        }
        return try EventName(name)
    }
}

extension InputLine.Problem {
    fileprivate init(_ message: String, _ line: JSONValue) {
        self.init(message: message, ref: line["ref"])
    }
}
