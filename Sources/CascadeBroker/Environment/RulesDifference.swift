// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeJSON
import CascadeWire

/// The values of each node under changed rules, computed over several turns of the broker.
///
/// If anything has changed between two turns, the tables are made again and the work continues
/// where it was.
struct RulesDifference: Sendable {
    let file: RuleModelFile
    /// Everything as it stood when this was made, with the other rules in place.
    private let table: EnvironmentTable
    /// The keys that may read otherwise, in the order of their names.
    private let keys: [KeyIndex]
    private let madeAt: UInt64
    /// The account that keys which only the other rules name count for.
    private let account: AccountIndex
    private let knownKeys: [EventName]
    /// The next key of the current node.
    private(set) var nextKey = 0

    /// Throws where the text has an error, or is too long to be read in one turn.
    init(
        _ broker: borrowing Broker, _ file: RuleModelFile, of account: AccountIndex,
        for viewer: inout Viewer
    ) throws(WireError) {
        let bytes = broker.environment.ruleFiles.reduce(file.text.utf8.count) {
            $0 + $1.text.utf8.count
        }
        try viewer.spend(bytes / 8)
        self.file = file
        self.account = account
        knownKeys = broker.environment.keyNames
        madeAt = broker.environment.version
        let trial = try broker.environment.trial(
            of: file, for: account, broker.share(of: account, in: .keys), at: broker.now,
            broker.configuration.limits)
        try viewer.spend(trial.ruleCount * 4 + trial.keys.count * 2)
        table = trial.table
        keys = trial.keys.sorted(by: trial.table.keys)
    }

    /// Makes the tables anew if they are out of date.
    mutating func renew(_ broker: borrowing Broker, for viewer: inout Viewer) throws(WireError) {
        guard madeAt != broker.environment.version || knownKeys != broker.environment.keyNames
        else {
            return
        }
        let next = nextKey < keys.count ? table.keys[keys[nextKey]].description : nil
        self = try RulesDifference(broker, file, of: account, for: &viewer)
        if let next {
            nextKey = keys.firstIndex { table.keys[$0].description >= next } ?? keys.count
        }
    }

    /// The changes at one node from the next key on, as many as there is time for. Returns whether
    /// all keys have been looked at.
    mutating func advance(
        at node: NodeIndex, _ resolvers: inout Resolvers, _ broker: borrowing Broker,
        for viewer: inout Viewer, untilSteps stepsMax: Int, _ changes: inout [JSONValue]
    ) throws(WireError) -> Bool {
        guard let path = viewer.place(broker.hierarchy.path(of: node)) else {
            return true
        }
        while nextKey < keys.count {
            guard viewer.steps < stepsMax else {
                return false
            }
            let key = keys[nextKey]
            nextKey += 1
            let before = resolvers.before.steps + resolvers.after.steps
            // The number may have been free before.
            let isKnown = key.slot < knownKeys.count && knownKeys[key.slot] == table.keys[key]
            let old =
                isKnown
                ? resolvers.before.resolve(
                    key, for: node, in: broker.hierarchy, broker.peers) : .nothing
            let new = resolvers.after.resolve(
                key, for: node, in: broker.hierarchy, broker.peers)
            try viewer.spend(resolvers.before.steps + resolvers.after.steps - before)
            guard old.value != new.value,
                broker.isVisible(old, for: node, &resolvers.before, &viewer),
                broker.isVisible(new, for: node, &resolvers.after, &viewer)
            else {
                continue
            }
            try viewer.spend(
                4 + ((old.value?.json.utf8.count ?? 0) + (new.value?.json.utf8.count ?? 0)) / 16)
            changes.append(
                .members([
                    "path": path, "key": .text(table.keys[key]),
                    "old": old.value?.document, "new": new.value?.document,
                ]))
        }
        nextKey = 0
        return true
    }

    /// The resolvers of the present values and of the changed ones. They live for one turn: their
    /// caches are valid only for an unchanged tree.
    struct Resolvers {
        var before: Resolver
        var after: Resolver
    }

    func resolvers(_ broker: borrowing Broker) -> Resolvers {
        Resolvers(
            before: broker.environment.resolver(broker.resolverContext),
            after: Resolver(table, broker.resolverContext))
    }
}
