// SPDX-License-Identifier: Apache-2.0

package import CascadeJSON
import CascadeWire

/// The names and states of this site, its parent and its children.
extension Bridge {
    /// Replaces the states of the children by those that the gate reports.
    package mutating func childrenChanged(
        _ reports: [ChildReport], at now: Duration, into effects: inout [BridgeEffect]
    ) {
        children = reports
        finish(at: now, into: &effects)
    }

    /// The answer to the query `sites`: a document for scripts, whose schema is `cascade/v1/sites`.
    package func sitesDocument(at now: Duration) -> JSONValue {
        .document(
            "sites",
            [
                "site": .text(configuration.name),
                "path": .array(sitePath.map { .string($0) }),
                "sites": .array(
                    [ownEntry(at: now)] + parentEntries
                        + children.map {
                            $0.entry(parent: configuration.name, at: now)
                        }),
            ])
    }

    private func ownEntry(at now: Duration) -> JSONValue {
        .members([
            "name": .text(configuration.name),
            "parent": configuration.parent.map { .text($0) },
            "place": "/",
            "mount": configuration.parent == nil ? nil : link.terms.map { .text($0.mount) },
            "state": .string(stateWord),
            // A state that has never changed began with the bridge.
            "ageSeconds": reportedState.since.map { .integer((now - $0).components.seconds) },
            "roundTripMicroseconds": link.isUp
                ? link.terms.map { .integer($0.roundTrip.wholeMicroseconds) } : nil,
            "release": .string(configuration.program),
            "host": configuration.host.map { .string($0) },
            "lastError": link.lastError.map { .string($0) },
            "notCarried": notCarriedMember,
        ])
    }

    /// The entry of the site above; none at the root site.
    private var parentEntries: [JSONValue] {
        guard let parent = configuration.parent else {
            return []
        }
        return [
            .members([
                "name": .text(parent),
                "parent": environment.sites.dropLast().last.map { .string($0) },
                "place": .string("/\(parent):"),
                "state": .string(stateWord),
                "release": link.terms?.release.map { .string($0) },
                "host": link.terms?.host.map { .string($0) },
            ])
        ]
    }

    private var notCarriedMember: JSONValue? {
        notCarried.isEmpty ? nil : .array(notCarried.map { .string($0) })
    }

    private var stateWord: String {
        switch state {
        case .alone, .up: "up"
        case .waiting, .mounting: "unresponsive"
        case .dialling, .cut: "cut"
        case .refused: "refused"
        }
    }
}

extension ChildReport {
    fileprivate func entry(parent: SiteName, at now: Duration) -> JSONValue {
        .members([
            "name": .text(name),
            "parent": .text(parent),
            "place": .text(mount),
            "mount": .text(mount),
            "state": .string(state.rawValue),
            "ageSeconds": since.map { .integer((now - $0).components.seconds) },
            "roundTripMicroseconds": roundTrip.map { .integer($0.wholeMicroseconds) },
            "release": release.map { .string($0) },
            "host": host.map { .string($0) },
            "lastError": lastError.map { .string($0) },
        ])
    }
}
