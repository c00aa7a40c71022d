// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The whole state of a bus at one moment, read from a file.
struct Dump: Sendable {
    let json: JSONValue
    let bus: String
    let moment: Timestamp

    static let schema = "cascade/v1/dump"

    /// Reads a file of `dump`; of several lines, the first. Throws ``Stop`` if it is not a dump.
    init(readingFile path: String) throws {
        let bytes = try InputFile(path: path).read()
        do throws(JSONError) {
            json = try JSONValue(parsing: bytes.prefix { $0 != UInt8(ascii: "\n") })
        } catch {
            throw Stop(.badData, "\(path) is not a dump: \(error)")
        }
        guard json["schema"]?.string == Self.schema, let bus = json["bus"]?.string,
            let moment = json["when"]?.string.flatMap({ Timestamp($0) })
        else {
            throw Stop(.badData, "\(path) is not a dump: its schema is not '\(Self.schema)'")
        }
        self.bus = bus
        self.moment = moment
    }

    /// Returns one of the documents in the dump. Throws ``Stop`` if it is missing.
    func document(_ name: String) throws -> JSONValue {
        guard let document = json[name] else {
            throw Stop(.badData, "the dump has no member '\(name)'")
        }
        return document
    }

    /// Returns the environment of the node at `path`. Throws ``Stop`` if there is no such node.
    func environment(at path: NodePath) throws -> [JSONValue] {
        try entry(of: path, in: "environment")?["values"]?.elements ?? []
    }

    /// Returns the preferences at and below `path`. Throws ``Stop`` if there is no such node.
    func preferences(at path: NodePath) throws -> [JSONValue.Member] {
        try entry(of: path, in: "preferences")?["preferences"]?.members ?? []
    }

    /// Returns the node's entry in a list; `nil` if it has none.
    private func entry(of path: NodePath, in list: String) throws -> JSONValue? {
        _ = try entries(from: path, depth: 0)
        return try document(list).elements.first { $0["path"]?.string == path.description }
    }

    /// Returns the nodes in tree order.
    func entries() throws -> [NodeEntry] {
        let nodes = try document("tree")["nodes"]?.elements ?? []
        return try nodes.map { try NodeEntry(dumped: $0, now: moment) }
    }

    /// Returns the nodes from `path` down to a depth. Throws ``Stop`` if there is no such node.
    func entries(from path: NodePath, depth: UInt32 = .max) throws -> [NodeEntry] {
        let found = try entries().filter { entry in
            path.contains(entry.node.path) && entry.node.path.depth - path.depth <= Int(depth)
        }
        guard found.first?.node.path == path else {
            throw Stop(.absent, "there is no node at '\(path)' in the dump")
        }
        return found
    }
}
