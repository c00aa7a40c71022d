// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Checks that the changes that watchers receive equal the results of a naive computation, and that
/// each change begins with the value at which the previous one ended.
///
/// The oracle uses the values in messages that the daemon receives and confirms. The keys of preferences
/// begin with `^`.
struct EnvironmentOracle {
    private struct Reader {
        var holder: PeerID
        var watched: Set<String> = []
        var sent: [String: String] = [:]
    }

    private var naive = NaiveEnvironment()
    private var readers: [UInt32: Reader] = [:]

    // MARK: - Settings

    /// Resets the oracle: a new daemon has only the rules of its file.
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

    /// Replaces the previous declaration of a node.
    mutating func declared(
        _ node: UInt32, _ path: NodePath, _ assignments: Assignments, _ rules: [NaiveRule]
    ) {
        naive.declare(node, keys: Set(assignments.settings.map(\.key.description)))
        readers[node]?.watched = []
        assigned(node, path, assignments, rules)
        let watched = readers[node]?.watched ?? []
        let sent = readers[node]?.sent ?? [:]
        readers[node]?.sent = sent.filter { watched.contains($0.key) }
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

    mutating func setFromOutside(_ settings: [EnvironmentSetting], at path: NodePath) {
        for setting in settings {
            naive.setFromOutside(
                setting.key.description, setting.json.flatMap { Int($0) }, path)
        }
    }

    mutating func remove(_ nodes: [UInt32]) {
        for node in nodes {
            readers[node] = nil
            naive.withdraw(node)
        }
    }

    // MARK: - Notifications

    mutating func sent(_ changes: EnvironmentChanges, to peer: PeerID) -> Finding? {
        guard readers[changes.node]?.holder == peer else {
            return Finding(
                "environment", "a session is notified about a node that it does not hold")
        }
        for change in changes.changes {
            let key = (change.isPreference ? "^" : "") + change.key.description
            let before = readers[changes.node]?.sent.removeValue(forKey: key)
            readers[changes.node]?.sent[key] = change.new
            if before != change.old || change.old == change.new {
                return Finding(
                    "environment",
                    "a change of \(key) from \(change.old ?? "nothing") to "
                        + "\(change.new ?? "nothing"), but the last value was "
                        + "\(before ?? "nothing")")
            }
        }
        return nil
    }

    /// Returns whether the values that arrived at a node equal those sent to it. Values that the node no
    /// longer watches are ignored.
    func haveAllArrived(_ arrived: [String: String], at node: UInt32) -> Bool {
        let watched = readers[node]?.watched ?? []
        return arrived.filter { watched.contains($0.key) } == readers[node]?.sent ?? [:]
    }

    /// Compares all notifications with the naive computation.
    func check(_ places: [UInt32: TreePlace]) -> Finding? {
        for (node, reader) in readers.sorted(by: { $0.key < $1.key }) {
            for key in reader.watched.sorted() {
                let value =
                    key.hasPrefix("^")
                    ? naive.preference(String(key.dropFirst()), at: node, in: places)
                    : naive.value(of: key, for: node, in: places)
                let expected = value.map(String.init)
                if reader.sent[key] != expected {
                    return Finding(
                        "environment",
                        "\(places[node]?.path ?? .root) received \(reader.sent[key] ?? "nothing")"
                            + " for \(key), but the value is \(expected ?? "nothing")")
                }
            }
        }
        return nil
    }
}
