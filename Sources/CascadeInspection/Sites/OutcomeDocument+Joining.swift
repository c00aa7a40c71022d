// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

extension OutcomeDocument {
    /// Joins what several sites know of one event. The first, which is the lowest, has it from its origin.
    /// Returns `nil` without any.
    ///
    /// - Parameters:
    ///   - trails: The places of the sites, and their documents, in their own names.
    ///   - realm: The sites that can be seen, with their names.
    package init?(
        joining trails: [(place: NodePath, trail: OutcomeDocument)], in realm: Realm
    ) {
        let named = trails.map { site in
            site.trail.naming { realm.name($0, ofSiteAt: site.place) }
        }
        guard var joined = named.first else {
            return nil
        }
        for other in named.dropFirst() {
            let known = joined.trail ?? []
            // A site also tells the visits that its neighbour has told it.
            let added = (other.trail ?? []).filter { visit in
                !known.contains {
                    $0.path == visit.path && $0.responder == visit.responder
                        && $0.kind == visit.kind && $0.name == visit.name
                }
            }
            if !added.isEmpty {
                joined.trail = known + added
            }
            joined.outcome = joined.outcome ?? other.outcome
            joined.by = joined.by ?? other.by
            let caused = (joined.caused ?? []) + (other.caused ?? [])
            var ids: Set<EventID> = []
            joined.caused = caused.isEmpty ? nil : caused.filter { ids.insert($0.id).inserted }
        }
        self = joined
    }
}

extension OutcomeDocument {
    /// Returns the document with other names of its places.
    func naming(_ name: (NodePath) -> NodePath) -> OutcomeDocument {
        var document = self
        document.by = by.map(name)
        document.origin = origin.map(name)
        document.paths = paths?.map(name)
        document.failedPaths = failedPaths?.map(name)
        document.trail = trail?.map { visit in
            var visit = visit
            visit.path = name(visit.path)
            return visit
        }
        document.caused = caused?.map { message in
            var message = message
            message.origin = message.origin.map(name)
            return message
        }
        document.error?.node = error?.node.map(name)
        return document
    }

    /// The places where the event has been, as far as the document tells.
    package var places: Set<NodePath> {
        let ends = [by, origin, error?.node].compactMap(\.self)
        return Set(ends + (paths ?? []) + (failedPaths ?? []) + (trail ?? []).map(\.path))
    }
}
