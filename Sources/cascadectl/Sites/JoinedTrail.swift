// SPDX-License-Identifier: Apache-2.0

import Cascade
package import CascadeInspection
package import CascadeWire

extension Bus {
    /// Returns the trail of an event with the visits at all sites that know it, in the names of this bus.
    func traceOverSites(_ id: EventID) async throws -> OutcomeDocument {
        let realm = await realm()
        let sites = realm.sites.filter { $0.place.isRoot || $0.nodes != nil }
        var trails: [(place: NodePath, trail: OutcomeDocument)] = []
        var ownError: (any Error)?
        // From the lowest site up, as an event goes.
        for site in sites.reversed() {
            do {
                let message =
                    site.place.isRoot
                    ? try await link.query(.trace(id))
                    : try await answer(to: .trace(id), ofSiteAt: site.place)
                trails.append((site.place, try OutcomeDocument(answer: message)))
            } catch {
                if site.place.isRoot {
                    ownError = error
                } else if (error as? CascadeError)?.reason != .noSuchEvent {
                    Output.diagnostic(
                        "the visits at '\(site.entry.name)' are not shown: \(Stop(error)?.message ?? "\(error)")"
                            .safeForTerminal)
                }
            }
        }
        guard let joined = OutcomeDocument(joining: trails, in: realm) else {
            throw ownError
                ?? CascadeError(
                    .refused, "no site that can be seen knows the event \(id)", reason: .noSuchEvent
                )
        }
        return joined
    }
}

extension OutcomeDocument {
    /// Joins what several sites know of one event. The first, which is the lowest, has it from its origin.
    /// Returns `nil` without any.
    ///
    /// - Parameter trails: The places of the sites, and their documents, in their own names.
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
    private func naming(_ name: (NodePath) -> NodePath) -> OutcomeDocument {
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
}
