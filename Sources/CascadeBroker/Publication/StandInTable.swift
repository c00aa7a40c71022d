// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The stand-ins of mounts: subscriptions that stand for those of the buses below. Without mounts the table
/// is empty, and asking it costs one comparison.
struct StandInTable: Sendable {
    struct Entry: Sendable {
        /// The greatest level of a subscriber below.
        var levels: UInt32
        /// The latest turn that the mount has told.
        var turn: UInt64
        /// The later it was activated, the higher.
        var rank: UInt64
    }

    private var entries: [NameIndex: [NodeIndex: Entry]] = [:]
    /// The stand-ins of mounts that have left, until their places are gone: a session that resumes goes on
    /// from there.
    private var left: [NodeIndex: [EventName: Entry]] = [:]

    var isEmpty: Bool {
        entries.isEmpty
    }

    /// The stand-ins of a name, by mount.
    subscript(name: NameIndex) -> [NodeIndex: Entry] {
        entries.isEmpty ? [:] : entries[name] ?? [:]
    }

    func contains(_ name: NameIndex, of node: NodeIndex) -> Bool {
        !entries.isEmpty && entries[name]?[node] != nil
    }

    // MARK: - Declaring

    /// A mount declares a stand-in, in place of its former one of that name.
    ///
    /// - Parameters:
    ///   - name: the number of the stand-in's name.
    ///   - former: the entry that it had, here or before its session resumed.
    ///   - rank: the rank that it gets if it is new, or has been activated below.
    mutating func declare(
        _ standIn: StandIn, _ name: NameIndex, of node: NodeIndex, former: Entry?, rank: UInt64
    ) {
        let isSame = former.map { standIn.turn <= $0.turn } ?? false
        entries[name, default: [:]][node] = Entry(
            levels: standIn.levels, turn: max(standIn.turn, former?.turn ?? 0),
            rank: isSame ? former?.rank ?? rank : rank)
    }

    /// Takes out and returns the stand-ins of a mount among these names.
    mutating func take(_ names: [NameIndex], of node: NodeIndex) -> [NameIndex: Entry] {
        guard !entries.isEmpty else {
            return [:]
        }
        var taken: [NameIndex: Entry] = [:]
        for name in names {
            if let entry = entries[name]?.removeValue(forKey: node) {
                taken[name] = entry
                if entries[name]?.isEmpty == true {
                    entries[name] = nil
                }
            }
        }
        return taken
    }

    // MARK: - Leaving

    /// The mount has left with these stand-ins; its session may resume.
    mutating func leave(_ node: NodeIndex, with entries: [EventName: Entry]) {
        left[node] = entries
    }

    /// Takes out and returns the stand-ins with which the mount has left.
    mutating func takeLeft(of node: NodeIndex) -> [EventName: Entry] {
        left.isEmpty ? [:] : left.removeValue(forKey: node) ?? [:]
    }
}
