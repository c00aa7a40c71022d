// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The difference of two JSON documents as a JSON Patch (RFC 6902).
struct JSONDifference {
    private(set) var operations: [JSONValue] = []

    init(from old: JSONValue, to new: JSONValue) {
        compare(old, new, at: "")
    }

    private mutating func compare(_ old: JSONValue, _ new: JSONValue, at pointer: String) {
        guard old != new else {
            return
        }
        switch (old, new) {
        case (.object(let old), .object(let new)): compare(old, new, at: pointer)
        case (.array(let old), .array(let new)): compare(old, new, at: pointer)
        default: append("replace", pointer, new)
        }
    }

    private mutating func compare(
        _ old: [JSONValue.Member], _ new: [JSONValue.Member], at pointer: String
    ) {
        let oldKeys = Set(old.map(\.key))
        let newValues = Dictionary(new.map { ($0.key, $0.value) }) { $1 }
        for member in old {
            let place = pointer + "/" + Self.escaped(member.key)
            if let value = newValues[member.key] {
                compare(member.value, value, at: place)
            } else {
                append("remove", place)
            }
        }
        for member in new where !oldKeys.contains(member.key) {
            append("add", pointer + "/" + Self.escaped(member.key), member.value)
        }
    }

    /// Compares arrays. Elements with the same identity are matched from both ends, so that an
    /// insertion or removal in the middle leaves the others unchanged.
    private mutating func compare(_ old: [JSONValue], _ new: [JSONValue], at pointer: String) {
        let front = zip(old, new).prefix { Self.isSame($0, $1) }.count
        let back = zip(old.dropFirst(front).reversed(), new.dropFirst(front).reversed())
            .prefix { Self.isSame($0, $1) }.count
        for index in 0..<front {
            compare(old[index], new[index], at: "\(pointer)/\(index)")
        }
        for index in (front..<(old.count - back)).reversed() {
            append("remove", "\(pointer)/\(index)")
        }
        for index in front..<(new.count - back) {
            append("add", "\(pointer)/\(index)", new[index])
        }
        for distance in (0..<back).reversed() {
            compare(
                old[old.count - 1 - distance], new[new.count - 1 - distance],
                at: "\(pointer)/\(new.count - 1 - distance)")
        }
    }

    private static func isSame(_ old: JSONValue, _ new: JSONValue) -> Bool {
        for key in ["path", "id", "index"] {
            if let name = old[key] {
                return name == new[key]
            }
        }
        return old == new
    }

    private static func escaped(_ key: String) -> String {
        key.split(separator: "~", omittingEmptySubsequences: false).joined(separator: "~0")
            .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~1")
    }

    private mutating func append(_ operation: String, _ pointer: String, _ value: JSONValue? = nil)
    {
        operations.append(
            .members(["op": .string(operation), "path": .string(pointer), "value": value]))
    }
}
