// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON

extension EnvironmentValueDocument: TextDocument {
    /// Returns the value without its key.
    func text(_ style: Style) -> String {
        value?.text ?? ""
    }
}

extension EnvironmentDocument: TextDocument {
    func text(_ style: Style) -> String {
        guard !values.isEmpty else {
            return "nothing is set"
        }
        var table = Table(["KEY", "VALUE", "FROM"])
        for entry in values {
            table.append([
                Cell(entry.key.description), Cell(entry.value?.text ?? ""),
                Cell(entry.provenance, .dim),
            ])
        }
        return table.text(style)
    }
}

extension EnvironmentEntry {
    /// The place or rule, or the origin on another bus, and for how long that has been out of reach.
    fileprivate var provenance: String {
        (source ?? from ?? "") + staleness(since: staleSince)
    }
}

/// Returns the words for a value that may have changed on another bus; nothing for one that is current.
private func staleness(since: Timestamp?) -> String {
    since.map { ", stale for \(Age.text(microseconds: Timestamp.now.microseconds(since: $0)))" }
        ?? ""
}

extension ExplanationDocument: TextDocument {
    /// The exit status; `absent` if the key has no value.
    var status: ExitStatus {
        value == nil ? .absent : .done
    }

    /// Whether policy hides the value from the inspector. Where there is none, the reader's default wins.
    private var isHidden: Bool {
        value == nil && candidates.contains { $0.kind.known == .default && !$0.won }
    }

    func text(_ style: Style) -> String {
        let place = "at \(at?.description ?? "")"
        let room = style.width.map { $0 - key.description.columnCount - place.columnCount - 2 }
        let words =
            value.map { "is \($0.text)" }
            ?? (isHidden ? "has a value that policy hides" : "has no value")
        let shown = room.map { words.shortened(to: $0) } ?? words
        let title = "\(style.apply(.bold, key.description)) \(shown) \(place)"
        guard !candidates.isEmpty else {
            return title
        }
        var table = Table(
            ["", "KIND", "FROM", "VALUE", "WHY", "BY", "AGE"], indent: "  ",
            whole: [0, 1, 6], wrapping: [4, 5])
        let now = Timestamp.now
        for candidate in candidates {
            table.append([
                candidate.mark,
                Cell(candidate.kind.rawValue),
                Cell(
                    (candidate.source ?? candidate.from ?? "")
                        + staleness(since: candidate.staleSince)),
                Cell(candidate.value?.text ?? ""),
                Cell(candidate.why),
                Cell(candidate.by ?? ""),
                // The time is in the JSON.
                Cell(
                    candidate.since.map { Age.text(microseconds: now.microseconds(since: $0)) }
                        ?? "", .dim),
            ])
        }
        return title + "\n" + table.text(style)
    }
}

extension ValueCandidate {
    /// Whether it gives the value. The reader's default, which the bus does not know, gives none.
    fileprivate var mark: Cell {
        guard kind.known != .default || !won else {
            return Cell("")
        }
        return Cell(won ? "won" : "lost", won ? .green : .dim)
    }
}

// MARK: - Changes

extension EnvironmentChangeDocument: TextDocument {
    func text(_ style: Style) -> String {
        let words = value.map { "is \($0.text)" } ?? "has no value"
        let change = style.apply(.bold, key.description) + " " + words
        return old.map { change + style.apply(.dim, ", was \($0.text)") } ?? change
    }
}

extension SettingsDocument: TextDocument {
    func text(_ style: Style) -> String {
        values.map { setting in
            if let value = setting.value {
                "\(setting.key) is \(value.text.safeForTerminal) at \(at)"
            } else {
                "\(setting.key) is no longer set at \(at)"
            }
        }.joined(separator: "\n")
    }
}

// MARK: - Preferences

extension PreferencesDocument: TextDocument {
    func text(_ style: Style) -> String {
        guard !preferences.isEmpty else {
            return "no preferences"
        }
        var table = Table(["KEY", "VALUE", "REDUCER"])
        for preference in preferences {
            table.append([
                Cell(preference.name), Cell(preference.value.text),
                Cell(reducers?[preference.name] ?? "", .dim),
            ])
        }
        return table.text(style)
    }
}
