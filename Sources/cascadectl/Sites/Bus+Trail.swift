// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeWire

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
