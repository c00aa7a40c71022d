// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// Environment and preferences: setting and offering. Each message is one transaction: all of it
/// counts, or, when it throws, none.
extension Broker {
    mutating func set(_ message: SetEnvironment, by peer: PeerID) throws(WireError) {
        beginKeys(for: peers[peer].account, [message.assignments])
        if message.node == Header.noNode {
            try setFromOutside(message, by: peer)
        } else {
            let node = try hierarchy.node(message.node, of: peer)
            let path = hierarchy.path(of: node)
            if node == Hierarchy.root {
                try checkRoot(message.assignments)
            }
            let prepared = try prepare(message.assignments, of: path, by: peer)
            try check([(path, node, prepared)], by: peer)
            try environment.checkRoom(for: prepared, at: node, configuration.limits)
            assign(prepared, at: node, isWhole: false)
        }
        settleEnvironment()
        done(message.request, peer)
    }

    private mutating func setFromOutside(
        _ message: SetEnvironment, by peer: PeerID
    ) throws(WireError) {
        guard let path = message.path else {
            throw WireError(.badPath, "a value set from outside needs a path")
        }
        try check(.set, path, by: peer)
        let assignments = message.assignments
        guard assignments.rules.isEmpty, assignments.offers.isEmpty,
            assignments.watchedKeys.isEmpty, assignments.watchedPreferences.isEmpty
        else {
            throw WireError(
                .noSuchNode,
                "only a node watches, offers or has rules; from outside values are set")
        }
        guard assignments.settings.allSatisfy(\.isLocal) else {
            throw WireError(
                .denied,
                "only a node at '/' sets fallback values, or tells where a value comes from")
        }
        let limits = configuration.limits
        try Self.checkNotForeign(path)
        try limits.checkPath(byteCount: path.byteCount)
        guard path.depth <= limits.depth else {
            throw WireError(
                .tooDeep,
                "the path is \(path.depth) components deep, more than \(limits.depth) "
                    + "(limit depth)")
        }
        let prepared = try prepare(assignments, of: path, by: peer)
        try checkBytes(byteCount(of: prepared, for: path, at: nil), of: peer)
        let account = peers[peer].account
        let place = hierarchy.find(path)
        let isVacant = place.map { hierarchy[$0].holder == nil } ?? true
        try environment.checkKept(
            prepared, for: path, at: place, isVacant: isVacant, for: account,
            share(of: account, in: .keptValues), limits)
        for setting in prepared.settings {
            let isKept = environment.kept(setting.key, for: path) != nil
            let kept = environment.keep(
                setting, .outside, for: path, by: assigner(peer), &accounts)
            if let kept {
                reportAssigned(kept)
            }
            if path.isRoot, isVacant, !isKept, setting.value == nil {
                for change in environment.releaseLeft(setting.key, in: hierarchy) {
                    reportAssigned(change)
                }
            }
        }
        if let place {
            environment.bindKept(to: [place], in: hierarchy)
        }
    }
}
