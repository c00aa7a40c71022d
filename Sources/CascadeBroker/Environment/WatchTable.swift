// SPDX-License-Identifier: Apache-2.0

/// The keys that each node watches, and the last value sent to it for each.
struct WatchTable: Sendable {
    struct Watch: Sendable {
        let key: KeyIndex
        var sent: String?
    }

    private var watches: [NodeIndex: [Watch]] = [:]
    private var watchers: [KeyIndex: Set<NodeIndex>] = [:]

    var isEmpty: Bool {
        watches.isEmpty
    }

    /// A node's watches, in the order of its declaration.
    subscript(node: NodeIndex) -> [Watch] {
        watches[node] ?? []
    }

    var watchedKeys: some Sequence<KeyIndex> {
        watchers.keys
    }

    func isWatched(_ key: KeyIndex) -> Bool {
        watchers[key] != nil
    }

    func watchers(of key: KeyIndex) -> Set<NodeIndex> {
        watchers[key] ?? []
    }

    /// Whether the node did not watch the key before.
    mutating func add(_ key: KeyIndex, of node: NodeIndex) -> Bool {
        guard watchers[key, default: []].insert(node).inserted else {
            return false
        }
        watches[node, default: []].append(Watch(key: key))
        return true
    }

    mutating func recordSent(_ value: String?, _ place: Int, of node: NodeIndex) {
        watches[node]?[place].sent = value
    }

    /// Limits a node's watches to these keys. Keys that it already watched need no new notice.
    mutating func keepOnly(_ keys: [KeyIndex], of node: NodeIndex) {
        let kept = Set(keys)
        for watch in self[node] where !kept.contains(watch.key) {
            forget(watch.key, of: node)
        }
        watches[node]?.removeAll { !kept.contains($0.key) }
        if watches[node]?.isEmpty == true {
            watches[node] = nil
        }
    }

    mutating func remove(_ node: NodeIndex) {
        for watch in watches.removeValue(forKey: node) ?? [] {
            forget(watch.key, of: node)
        }
    }

    /// Counts the keys in use, and the accounts that use them.
    func count(in uses: inout KeyUses, _ account: (NodeIndex) -> AccountIndex) {
        for (node, watched) in watches {
            for watch in watched {
                uses.count(watch.key, by: account(node))
            }
        }
    }

    private mutating func forget(_ key: KeyIndex, of node: NodeIndex) {
        watchers[key]?.remove(node)
        if watchers[key]?.isEmpty == true {
            watchers[key] = nil
        }
    }
}
