// SPDX-License-Identifier: Apache-2.0

/// Who watches which keys, and what each was told last.
struct WatchTable: Sendable {
    struct Watch: Sendable {
        let key: UInt32
        var told: String?
    }

    private var watches: [UInt32: [Watch]] = [:]
    private var watchers: [UInt32: Set<UInt32>] = [:]

    var isEmpty: Bool {
        watches.isEmpty
    }

    /// What a node watches, in the order in which it said so.
    subscript(node: UInt32) -> [Watch] {
        watches[node] ?? []
    }

    var watchedKeys: some Sequence<UInt32> {
        watchers.keys
    }

    func isWatched(_ key: UInt32) -> Bool {
        watchers[key] != nil
    }

    func watchers(of key: UInt32) -> Set<UInt32> {
        watchers[key] ?? []
    }

    /// Whether the node did not watch the key before.
    mutating func add(_ key: UInt32, of node: UInt32) -> Bool {
        guard watchers[key, default: []].insert(node).inserted else {
            return false
        }
        watches[node, default: []].append(Watch(key: key))
        return true
    }

    mutating func tell(_ value: String?, _ place: Int, of node: UInt32) {
        watches[node]?[place].told = value
    }

    /// The node watches these keys and no others. What it goes on watching it need not be told.
    mutating func keepOnly(_ keys: [UInt32], of node: UInt32) {
        for watch in self[node] where !keys.contains(watch.key) {
            forget(watch.key, of: node)
        }
        watches[node]?.removeAll { !keys.contains($0.key) }
        if watches[node]?.isEmpty == true {
            watches[node] = nil
        }
    }

    mutating func remove(_ node: UInt32) {
        for watch in watches.removeValue(forKey: node) ?? [] {
            forget(watch.key, of: node)
        }
    }

    /// Says which keys are in use, and by whom.
    func note(in uses: inout KeyUses, _ account: (UInt32) -> UInt32) {
        for (node, watched) in watches {
            for watch in watched {
                uses.note(watch.key, by: account(node))
            }
        }
    }

    private mutating func forget(_ key: UInt32, of node: UInt32) {
        watchers[key]?.remove(node)
        if watchers[key]?.isEmpty == true {
            watchers[key] = nil
        }
    }
}
