// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The value of a key at a node.
struct ValueDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    /// Returns the value without its key.
    func text(_ style: Style) -> String {
        json["value"]?.text ?? ""
    }
}

/// The environment of a node.
struct ValuesDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    /// The keys with their values and provenance.
    var values: [(key: String, value: JSONValue, from: String)] {
        (json["values"]?.elements ?? []).compactMap { entry in
            guard let key = entry["key"]?.string, let value = entry["value"] else {
                return nil
            }
            return (key, value, entry["from"]?.string ?? "")
        }
    }

    func text(_ style: Style) -> String {
        guard !values.isEmpty else {
            return "nothing is set"
        }
        var table = Table(["KEY", "VALUE", "FROM"])
        for entry in values {
            table.append([
                Cell(entry.key), Cell(entry.value.text), Cell(entry.from, .dim),
            ])
        }
        return table.text(style)
    }
}

/// The candidates for the value of a key, in order.
struct ExplanationDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    /// The exit status; `absent` if the key has no value.
    var status: ExitStatus {
        json["value"] == nil ? .absent : .done
    }

    func text(_ style: Style) -> String {
        let name = (json["key"]?.string ?? "").safeForTerminal
        let place = "at " + (json["at"]?.string ?? "").safeForTerminal
        let room = style.width.map { $0 - name.columnCount - place.columnCount - 2 }
        let value = json["value"].map { "is \($0.text)" } ?? "has no value"
        let shown = room.map { value.shortened(to: $0) } ?? value
        let title = "\(style.apply(.bold, name)) \(shown) \(place)"
        let candidates = json["candidates"]?.elements ?? []
        guard !candidates.isEmpty else {
            return title
        }
        var table = Table(
            ["", "KIND", "FROM", "VALUE", "WHY", "BY", "SINCE"], indent: "  ",
            whole: [0, 1], wrapping: [4])
        for candidate in candidates {
            let hasWon = candidate["won"]?.bool == true
            table.append([
                Cell(hasWon ? "won" : "lost", hasWon ? .green : .dim),
                Cell(candidate["kind"]?.string ?? ""),
                Cell(candidate["from"]?.string ?? ""),
                Cell(candidate["value"]?.text ?? ""),
                Cell(candidate["why"]?.string ?? ""),
                Cell(candidate["by"]?.plainText ?? ""),
                // Fractions of a second are in the JSON.
                Cell((candidate["since"]?.plainText ?? "").replacing(/\.\d+Z$/, with: "Z"), .dim),
            ])
        }
        return title + "\n" + table.text(style)
    }
}

// MARK: - Changes

/// A change of a value in a node's environment.
struct ValueChangeDocument: Document {
    let key: String
    let old: JSONValue?
    /// The new value; `nil` if it was removed.
    let new: JSONValue?
    let from: String?

    var json: JSONValue {
        .document(
            "envChange",
            [
                "key": .string(key), "value": new, "old": old, "from": from.map { .string($0) },
            ])
    }

    func text(_ style: Style) -> String {
        let value = new.map { "is \($0.text)" } ?? "has no value"
        let words = style.apply(.bold, key.safeForTerminal) + " " + value
        return old.map { words + style.apply(.dim, ", was \($0.text)") } ?? words
    }
}

/// The environment of a node in the previous answer, for comparison with the next.
struct PreviousValues {
    private var values: [String: JSONValue] = [:]

    /// Replaces the values by those of an answer, and returns the changes, removed values first.
    ///
    /// - Parameter key: The only key to compare; `nil` for all keys.
    mutating func changes(
        to answer: ValuesDocument, of key: EventName?
    ) -> [ValueChangeDocument] {
        let current = answer.values.filter { key == nil || $0.key == key?.description }
        let currentKeys = Set(current.map(\.key))
        let removedKeys = values.keys.filter { !currentKeys.contains($0) }.sorted()
        var changes = removedKeys.map { key in
            ValueChangeDocument(
                key: key, old: values.removeValue(forKey: key), new: nil, from: nil)
        }
        for entry in current where values[entry.key] != entry.value {
            changes.append(
                ValueChangeDocument(
                    key: entry.key, old: values[entry.key], new: entry.value, from: entry.from))
            values[entry.key] = entry.value
        }
        return changes
    }
}

/// The values that a command has set or removed from outside the tree.
struct SettingsDocument: Document {
    let path: NodePath
    let settings: [EnvironmentSetting]

    var json: JSONValue {
        .document(
            "envSet",
            [
                "at": .text(path),
                "values": .array(
                    settings.map { setting in
                        .members([
                            "key": .text(setting.key),
                            "value": setting.json.map(JSONValue.init(value:)),
                        ])
                    }),
            ])
    }

    func text(_ style: Style) -> String {
        settings.map { setting in
            if let json = setting.json {
                "\(setting.key) is \(json.safeForTerminal) at \(path)"
            } else {
                "\(setting.key) is no longer set at \(path)"
            }
        }.joined(separator: "\n")
    }
}

// MARK: - Preferences

/// The reduced preferences of a node and its subtree.
struct PreferencesDocument: Document {
    /// The document from the bus.
    let json: JSONValue

    func text(_ style: Style) -> String {
        let members = json["preferences"]?.members ?? []
        guard !members.isEmpty else {
            return "no preferences"
        }
        var table = Table(["KEY", "VALUE"])
        for member in members {
            table.append([Cell(member.key), Cell(member.value.text)])
        }
        return table.text(style)
    }
}
