// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// What an inspector is shown: nothing of places that it may not inspect.
extension Broker {
    /// Throws if the session may not ask this at all.
    mutating func checkVisible(_ subject: Query.Subject, to peer: PeerID) throws(WireError) {
        switch subject {
        case .tree(let path, _), .subscribers(_, let path), .environment(let path, _),
            .explanation(_, let path), .environmentTree(_, let path), .preferences(let path):
            try check(.inspect, path, by: peer)
        case .route(let route): try check(.inspect, route.path, by: peer)
        case .bus, .rules, .rulesDifference, .policy, .metrics: try check(.inspect, .root, by: peer)
        case .policyTest(let test):
            // What one may do oneself, one may know.
            if test.identity != nil {
                try check(.inspect, .root, by: peer)
            }
        case .trace, .undelivered, .check, .monitor: break
        }
    }

    mutating func isVisible(_ happening: Happening, to peer: PeerID) -> Bool {
        isVisible(happening.path ?? .root, to: peer)
    }

    /// The document without what is about places that the session may not inspect.
    mutating func visible(
        _ document: JSONValue, to peer: PeerID
    ) throws(WireError) -> JSONValue {
        guard !peers[peer].rights.everywhere.contains(.inspect) else {
            return document
        }
        guard let visible = visiblePart(of: document, to: peer) else {
            let path = (document["path"] ?? document["origin"])?.string
            let place = path.flatMap { try? NodePath($0) } ?? .root
            throw WireError(.denied, denial(.inspect, place, peer))
        }
        return visible
    }

    /// Values that processes have made up themselves, in which nothing is a place.
    private static let opaque: Set = ["payload", "reply", "value", "preferences", "old", "new"]
    /// Members that say what an object is about, and those that only mention a place.
    private static let subjects: Set = ["path", "origin"]
    private static let mentions: Set = ["by", "node", "from"]

    private mutating func visiblePart(of value: JSONValue, to peer: PeerID) -> JSONValue? {
        switch value {
        case .object(let members):
            var kept: [JSONValue.Member] = []
            for member in members {
                if isHidden(member.value, from: peer) {
                    guard !Self.subjects.contains(member.key) else {
                        return nil
                    }
                    if Self.mentions.contains(member.key) {
                        continue
                    }
                }
                let part =
                    Self.opaque.contains(member.key)
                    ? member.value : visiblePart(of: member.value, to: peer)
                if let part {
                    kept.append(JSONValue.Member(key: member.key, value: part))
                }
            }
            return .object(kept)
        case .array(let elements):
            var kept: [JSONValue] = []
            for element in elements where !isHidden(element, from: peer) {
                if let part = visiblePart(of: element, to: peer) {
                    kept.append(part)
                }
            }
            return .array(kept)
        default:
            return value
        }
    }

    private mutating func isHidden(_ value: JSONValue, from peer: PeerID) -> Bool {
        guard let text = value.string, text.hasPrefix("/"), let path = try? NodePath(text) else {
            return false
        }
        return !isVisible(path, to: peer)
    }
}
