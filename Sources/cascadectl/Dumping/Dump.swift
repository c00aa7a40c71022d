// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The whole state of a bus at one moment, as a file keeps it.
struct Dump: Sendable {
    let json: JSONValue
    let bus: String
    let moment: Timestamp

    static let schema = "cascade/v1/dump"

    /// Reads what `dump` wrote; of several on lines, the first. Throws ``Stop`` if it is no such
    /// thing.
    init(readingFile path: String) throws {
        let bytes = try InputFile(path: path).read()
        do throws(JSONError) {
            json = try JSONValue(parsing: bytes.prefix { $0 != UInt8(ascii: "\n") })
        } catch {
            throw Stop(.badData, "\(path) is no dump: \(error)")
        }
        guard json["schema"]?.string == Self.schema, let bus = json["bus"]?.string,
            let moment = json["when"]?.string.flatMap({ Timestamp($0) })
        else {
            throw Stop(.badData, "\(path) is no dump: it is not '\(Self.schema)'")
        }
        self.bus = bus
        self.moment = moment
    }

    /// One of the documents in it. Throws ``Stop`` if that is missing.
    func document(_ name: String) throws -> JSONValue {
        guard let document = json[name] else {
            throw Stop(.badData, "the dump says nothing of '\(name)'")
        }
        return document
    }

    /// What the node at `path` read of its environment. Throws ``Stop`` if there is no such node.
    func environment(at path: NodePath) throws -> [JSONValue] {
        try entry(of: path, in: "environment")?["values"]?.elements ?? []
    }

    /// What was offered at `path` and below. Throws ``Stop`` if there is no such node.
    func preferences(at path: NodePath) throws -> [JSONValue.Member] {
        try entry(of: path, in: "preferences")?["preferences"]?.members ?? []
    }

    /// What one of the lists about nodes says of the node; `nil` if that is nothing.
    private func entry(of path: NodePath, in list: String) throws -> JSONValue? {
        _ = try entries(from: path, depth: 0)
        return try document(list).elements.first { $0["path"]?.string == path.description }
    }

    /// The nodes in the order of the tree.
    func entries() throws -> [NodeEntry] {
        let nodes = try document("tree")["nodes"]?.elements ?? []
        return try nodes.map { try NodeEntry(dumped: $0, now: moment) }
    }

    /// The nodes from `path` down, so many levels deep. Throws ``Stop`` if there is no such node.
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
