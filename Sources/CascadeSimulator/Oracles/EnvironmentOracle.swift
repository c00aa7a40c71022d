// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// What watchers were told of their environment, change by change, is what a naive computation
/// finds; each change begins where the one before it ended.
///
/// It learns what is set from what the daemon hears and confirms. Preferences have a `^` before
/// their keys.
struct EnvironmentOracle {
    private struct Reader {
        var holder: PeerID
        var watched: Set<String> = []
        var told: [String: String] = [:]
    }

    private var naive = NaiveEnvironment()
    private var readers: [UInt32: Reader] = [:]

    // MARK: - What is set

    /// There is a daemon that knows these rules and nothing else.
    mutating func daemonStarted(_ rules: [NaiveRule]) {
        naive = NaiveEnvironment()
        naive.fileRules = rules
        readers = [:]
    }

    mutating func attached(
        _ node: UInt32, _ path: NodePath, of holder: PeerID, _ assignments: Assignments,
        _ rules: [NaiveRule]
    ) {
        readers[node] = Reader(holder: holder)
        declared(node, path, assignments, rules)
    }

    /// The whole declaration takes the place of the one before.
    mutating func declared(
        _ node: UInt32, _ path: NodePath, _ assignments: Assignments, _ rules: [NaiveRule]
    ) {
        naive.declare(node, keys: Set(assignments.settings.map(\.key.description)))
        readers[node]?.watched = []
        assigned(node, path, assignments, rules)
        let watched = readers[node]?.watched ?? []
        let told = readers[node]?.told ?? [:]
        readers[node]?.told = told.filter { watched.contains($0.key) }
    }

    mutating func assigned(
        _ node: UInt32, _ path: NodePath, _ assignments: Assignments, _ rules: [NaiveRule]
    ) {
        for setting in assignments.settings {
            naive.set(
                setting.key.description, setting.json.flatMap { Int($0) },
                isForItself: setting.isForItself, isSticky: setting.isSticky, node, path)
        }
        for offer in assignments.offers {
            naive.offers[node, default: [:]][offer.key.description] =
                offer.json.flatMap { Int($0) }
        }
        if !rules.isEmpty {
            naive.rules[node] = rules
        }
        readers[node]?.watched.formUnion(assignments.watchedKeys.map(\.description))
        readers[node]?.watched.formUnion(assignments.watchedPreferences.map { "^\($0)" })
    }

    mutating func kept(_ settings: [EnvironmentSetting], for path: NodePath) {
        for setting in settings {
            naive.keep(setting.key.description, setting.json.flatMap { Int($0) }, path)
        }
    }

    mutating func forget(_ nodes: [UInt32]) {
        for node in nodes {
            readers[node] = nil
            naive.withdraw(node)
        }
    }

    // MARK: - What is told

    mutating func told(_ changes: EnvironmentChanges, to peer: PeerID) -> Finding? {
        guard readers[changes.node]?.holder == peer else {
            return Finding("environment", "a session is told of a node that it does not hold")
        }
        for change in changes.changes {
            let key = (change.isPreference ? "^" : "") + change.key.description
            let before = readers[changes.node]?.told.removeValue(forKey: key)
            readers[changes.node]?.told[key] = change.new
            if before != change.old || change.old == change.new {
                return Finding(
                    "environment",
                    "a change of \(key) from \(change.old ?? "nothing") to "
                        + "\(change.new ?? "nothing"), where it was \(before ?? "nothing")")
            }
        }
        return nil
    }

    /// Whether this has arrived at a node, where all has arrived that it was told. What it watches
    /// no longer it need not forget.
    func isToldExactly(_ arrived: [String: String], to node: UInt32) -> Bool {
        let watched = readers[node]?.watched ?? []
        return arrived.filter { watched.contains($0.key) } == readers[node]?.told ?? [:]
    }

    /// Compares everything with what it should be.
    func check(_ places: [UInt32: TreePlace]) -> Finding? {
        for (node, reader) in readers.sorted(by: { $0.key < $1.key }) {
            for key in reader.watched.sorted() {
                let value =
                    key.hasPrefix("^")
                    ? naive.preference(String(key.dropFirst()), at: node, in: places)
                    : naive.value(of: key, for: node, in: places)
                let expected = value.map(String.init)
                if reader.told[key] != expected {
                    return Finding(
                        "environment",
                        "\(places[node]?.path ?? .root) was told \(reader.told[key] ?? "nothing")"
                            + " for \(key), which is \(expected ?? "nothing")")
                }
            }
        }
        return nil
    }
}
