// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// What the sites that an event has reached know of it.
///
/// A pure state machine. The sites are asked along the event's own way: one is asked if the event has been
/// there, or may have gone there, by what the sites before it have told. So a trail costs as many questions
/// as it has sites, however many sites the realm has.
package struct JoinedTrail: Sendable {
    /// The number of sites that are asked about one event.
    package static let siteCountMax = 32

    package private(set) var realm = Realm()
    private var waiting: [NodePath] = [.root]
    private var trails: [NodePath: OutcomeDocument] = [:]
    private var askedCount = 0
    private let known: NodePath?

    /// - Parameter place: A place where the event is known to have been, in the names of this bus.
    package init(of place: NodePath? = nil) {
        known = place
    }

    /// Returns the place of the site to ask next, in the names of this bus; `nil` if all are asked.
    package mutating func next() -> NodePath? {
        let places = self.places
        guard askedCount < Self.siteCountMax,
            let index = waiting.firstIndex(where: { isReached($0, by: places) })
        else {
            return nil
        }
        askedCount += 1
        return waiting.remove(at: index)
    }

    /// Takes what a site tells.
    ///
    /// - Parameters:
    ///   - trail: The event, in the names of the site; `nil` if the site does not know it.
    ///   - report: The sites around it; its nodes may be no more than the mounts.
    ///   - place: The place of the site.
    package mutating func record(
        _ trail: OutcomeDocument?, _ report: SiteReport, of place: NodePath
    ) {
        waiting += realm.record(report, of: place)
        trails[place] = trail
    }

    /// The event with the visits at all sites that know it, in the names of this bus; `nil` if none does.
    package var document: OutcomeDocument? {
        // From the lowest site up, as an event goes.
        let told = realm.sites.reversed().compactMap { site in
            trails[site.place].map { (place: site.place, trail: $0) }
        }
        return OutcomeDocument(joining: told, in: realm)
    }

    /// The places where the event has been, in the names of this bus.
    private var places: Set<NodePath> {
        trails.reduce(into: Set(known.map { [$0] } ?? [])) { places, told in
            places.formUnion(told.value.places.map { realm.name($0, ofSiteAt: told.key) })
        }
    }

    private func isReached(_ site: NodePath, by places: Set<NodePath>) -> Bool {
        guard !site.isRoot, !places.contains(where: { site.contains($0) }) else {
            return true
        }
        // An event leaves a bus at its root.
        let line = realm.line.map(\.place)
        guard let level = line.firstIndex(of: site), level > 0 else {
            return false
        }
        return places.contains(line[level - 1])
    }
}
