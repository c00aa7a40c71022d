// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// What a site tells when it is asked about the sites around it.
package struct SiteReport: Sendable {
    /// The sites that its bridge knows; `nil` without a bridge.
    package var sites: SitesDocument?
    /// The nodes of its bus; `nil` if it does not tell them.
    package var nodes: [NodeSnapshot]?
    /// Why it could not be asked, as a sentence.
    package var failure: String?
    /// Whether it was silent when it was asked for the one or the other.
    package var isSilent: Bool
    /// Whether its policy refuses to list its nodes, which is no fault of a link.
    package var refusesNodes: Bool

    package init(
        sites: SitesDocument? = nil, nodes: [NodeSnapshot]? = nil, failure: String? = nil,
        isSilent: Bool = false, refusesNodes: Bool = false
    ) {
        self.sites = sites
        self.nodes = nodes
        self.failure = failure
        self.isSilent = isSilent
        self.refusesNodes = refusesNodes
    }
}

/// The sites of the realm as far as this bus sees them: its own, those above, and those below all of
/// these.
///
/// A pure state machine: the owner asks each site, and the report of a site says which sites can be asked
/// next.
package struct Realm: Sendable {
    package struct Site: Sendable {
        /// The site, its link to the site above, and its place in the names of this bus.
        package fileprivate(set) var entry: SiteEntry
        package let place: NodePath
        /// The nodes of its bus, in its own names; `nil` if it has not told them.
        package fileprivate(set) var nodes: [NodeSnapshot]?
        /// Why it could not be asked, as a sentence; `nil` for a site that has answered.
        package fileprivate(set) var failure: String?
        /// The places of the sites that stand on its bus, in the order of the mounts.
        package fileprivate(set) var below: [NodePath] = []
    }

    package private(set) var above: SitesAbove
    /// What this bus's own site tells; `nil` if the bus is no site.
    package private(set) var own: SitesDocument?
    /// Why this bus's own site has not answered.
    package private(set) var ownFailure: String?
    /// Whether this bus's own site was silent.
    package private(set) var isOwnSilent = false
    private var known: [NodePath: Site] = [:]
    /// The places of this site and those above it, nearest first.
    private var chain: [NodePath] = [.root]

    /// Creates a realm of which nothing is known. The first to be asked is this bus's own site, at `/`.
    package init() {
        above = SitesAbove(of: nil)
    }

    // MARK: - Sites

    package subscript(place: NodePath) -> Site? {
        known[place]
    }

    /// This site and those above it, nearest first.
    package var line: [Site] {
        chain.compactMap { known[$0] }
    }

    /// The sites, each before those below it; the root site, or the highest one that is known, first.
    package var sites: [Site] {
        var listed: [Site] = []
        for place in chain.reversed() {
            append(place, to: &listed)
        }
        return listed
    }

    private func append(_ place: NodePath, to listed: inout [Site]) {
        guard let site = known[place], !listed.contains(where: { $0.place == place }) else {
            return
        }
        listed.append(site)
        for place in site.below {
            append(place, to: &listed)
        }
    }

    /// The sites with a name.
    package func sites(named name: String) -> [Site] {
        sites.filter { $0.entry.name == name }
    }

    /// The names that several sites have, with their places.
    package var twins: [(name: String, places: [NodePath])] {
        let all = sites
        var names: Set<String> = []
        return all.map(\.entry.name).filter { names.insert($0).inserted }.compactMap { name in
            let places = all.filter { $0.entry.name == name }.map(\.place)
            return places.count > 1 ? (name, places) : nil
        }
    }

    /// Returns the name here of a node that the site at `place` names `path`. A foreign place that the site
    /// names by a site which is not above this bus has its path from here, or from the nearest site above.
    package func name(_ path: NodePath, ofSiteAt place: NodePath) -> NodePath {
        let named = above.path(path, ofSiteAt: place)
        guard let site = named.foreignSite, !above.steps.contains(where: { $0.site == site }) else {
            return named
        }
        let found = sites(named: site)
        guard let root = found.first?.place, found.count == 1 else {
            return named
        }
        return above.path(named.dropping(1), ofSiteAt: root)
    }

    // MARK: - Reports

    /// Records what the site at a place tells, and returns the places of the sites that can be asked next.
    package mutating func record(_ report: SiteReport, of place: NodePath) -> [NodePath] {
        let told = report.sites
        if place.isRoot {
            above = SitesAbove(of: told?.site)
            own = told
            ownFailure = told == nil ? report.failure : nil
            isOwnSilent = told == nil && report.isSilent
        }
        var site =
            known[place]
            ?? Site(
                entry: SiteEntry(name: told?.site ?? "", place: place, state: "up"), place: place)
        if let itself = told?.itself {
            if chain.contains(place) {
                // What was known before is only that the site answers.
                site.entry.state = itself.state
            }
            site.entry.complete(with: itself)
        }
        site.nodes = report.nodes
        site.failure = report.nodes == nil ? report.failure : nil
        if report.isSilent, report.nodes == nil, site.entry.state == "up" {
            site.entry.state = "unresponsive"
        }
        if let failure = site.failure, site.entry.lastError == nil, !report.refusesNodes {
            site.entry.lastError = failure
        }
        known[place] = site
        let up = chain.last == place ? recordParent(told) : []
        return up + recordChildren(of: place, told, report.nodes ?? [])
    }

    /// Records the site above the last one of the chain. Returns its place if it can be asked.
    private mutating func recordParent(_ told: SitesDocument?) -> [NodePath] {
        guard let itself = told?.itself, let name = itself.parent,
            let place = try? SitesAbove.place(of: name), known[place] == nil
        else {
            return []
        }
        var entry = SiteEntry(name: name, place: place, state: "up")
        if let parent = told?.sites.first(where: { $0.name == name && $0.place?.isForeign == true })
        {
            entry.parent = parent.parent
            entry.release = parent.release
            entry.host = parent.host
        }
        let isReached = itself.mount != nil && itself.state.isLinked
        var site = Site(entry: entry, place: place)
        if let mount = itself.mount, isReached {
            above.append(SitesAbove.Step(site: name, mount: mount))
        } else {
            site.entry.state = "unresponsive"
            site.failure = "the link of '\(itself.name)' to it is \(itself.state)"
        }
        chain.append(place)
        known[place] = site
        return isReached ? [place] : []
    }

    /// Records the sites that stand on the bus of the site at `place`. Returns the places of those that
    /// can be asked.
    private mutating func recordChildren(
        of place: NodePath, _ told: SitesDocument?, _ nodes: [NodeSnapshot]
    ) -> [NodePath] {
        var entries = told?.sites.filter { $0.parent == told?.site && $0.mount != nil } ?? []
        for node in nodes where node.isMount && !entries.contains(where: { $0.mount == node.path })
        {
            entries.append(SiteEntry(mountedAt: node, parent: known[place]?.entry.name))
        }
        let order = Dictionary(nodes.enumerated().map { ($1.path, $0) }) { first, _ in first }
        entries.sort { (order[$0.mount ?? .root] ?? .max) < (order[$1.mount ?? .root] ?? .max) }
        var next: [NodePath] = []
        for entry in entries {
            guard let mount = entry.mount else {
                continue
            }
            let child = above.path(mount, ofSiteAt: place)
            known[place]?.below.append(child)
            if known[child] != nil {
                // It is in the chain: this site or one above it, which its own site above describes too.
                known[child]?.entry.complete(with: entry)
                continue
            }
            var site = Site(entry: entry, place: child)
            site.entry.place = child
            if entry.state.isLinked {
                next.append(child)
            } else {
                site.failure = entry.sentence
            }
            known[child] = site
        }
        return next
    }
}

// MARK: - Entries

extension SitesDocument {
    /// The entry of the site that answers.
    package var itself: SiteEntry? {
        sites.first { $0.place?.isRoot == true } ?? sites.first { $0.name == site }
    }
}

extension DocumentWord<SiteEntry.State> {
    /// Whether a site with this state may answer.
    package var isLinked: Bool {
        known == .up || known == .unresponsive
    }
}

extension SiteEntry {
    /// Creates the entry of a site from the node at which it stands.
    fileprivate init(mountedAt node: NodeSnapshot, parent: String?) {
        let state: State =
            switch node.state {
            case .live, .inactive: .up
            case .unresponsive, .leaving: .unresponsive
            case .vacant: .cut
            }
        self.init(
            name: node.holder?.key ?? node.path.name, parent: parent, place: node.path,
            mount: node.path, state: DocumentWord(state))
        ageSeconds = Int64(clamping: node.ageMicroseconds / 1_000_000)
        release = node.holder?.program
    }

    /// Takes from another entry of the same site what this one lacks.
    fileprivate mutating func complete(with other: SiteEntry) {
        if name.isEmpty {
            name = other.name
        }
        parent = parent ?? other.parent
        mount = mount ?? other.mount
        ageSeconds = ageSeconds ?? other.ageSeconds
        roundTripMicroseconds = roundTripMicroseconds ?? other.roundTripMicroseconds
        release = other.release ?? release
        host = other.host ?? host
        lastError = lastError ?? other.lastError
        notCarried = notCarried ?? other.notCarried
    }

    /// The state of the link, how long it has lasted, and why, as a sentence.
    package var sentence: String {
        let words = age.map { "has been \(state) for \($0)" } ?? "is \(state)"
        let reason = lastError.map { ": \($0)" } ?? ""
        return "the site '\(name)' \(words)\(reason)"
    }

    /// The time since the state began, as text.
    package var age: String? {
        ageSeconds.map { Age.text(microseconds: UInt64(clamping: $0) * 1_000_000) }
    }
}
