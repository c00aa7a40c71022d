// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON
import CascadeWire

/// Questions for the sites around a bus. The bridges on the way pass them on; the bus itself knows no site.
struct SiteQuestions: Sendable {
    let link: Link
    /// The nodes of the bus at which sites stand.
    let mounts: [NodeSnapshot]

    /// Returns the answer of the site at `place`, in the names of this bus. Throws ``Refusal`` if no site can
    /// be asked there, `SiteFault` if it does not answer, and `CascadeError` if it refuses.
    func answer(to subject: Query.Subject, ofSiteAt place: NodePath) async throws -> [UInt8] {
        try await link.answer(to: subject, ofSiteAt: place, from: origin(of: place))
    }

    /// Returns the node at which the way to a site begins.
    private func origin(of place: NodePath) throws(Refusal) -> NodePath {
        guard !place.isRoot, !place.isForeign else {
            return .root
        }
        guard let mount = mounts.first(where: { $0.path.contains(place) }) else {
            throw Refusal(404, "noSite", "No site stands at '\(place)'.")
        }
        guard mount.state != .vacant else {
            let site = mount.path == place ? "The site" : "The way to '\(place)'"
            throw Refusal(503, "siteCut", "\(site) is cut: '\(mount.path)' is vacant.")
        }
        return mount.path
    }

    /// Returns what the bus's own site knows: itself, the site above it, and those below it, with the
    /// states of their links.
    func sites() async throws -> SitesDocument {
        guard try await link.isSite() else {
            throw SiteFault.noSite
        }
        return try await sites(knownAt: .root)
    }

    private func sites(knownAt place: NodePath) async throws -> SitesDocument {
        let message = try await answer(to: .sites, ofSiteAt: place)
        return try ReceivedDocument(parsing: message).content
    }

    /// Returns the nodes of the site at `place`, as pages are told of them.
    func tree(ofSiteAt place: NodePath) async throws -> AskedTree {
        let subject = Query.Subject.tree(path: .root, depth: .max)
        let message = try await answer(to: subject, ofSiteAt: place)
        return AskedTree(try TreeAnswer(parsing: message), at: place, now: .now)
    }

    // MARK: - Nodes

    /// Returns the document of a query to the site at `place`, in the names of that site.
    func document<Document>(
        of query: InspectionQuery<Document>, ofSiteAt place: NodePath
    ) async throws -> Document {
        let message = try await answer(to: query.subject, ofSiteAt: place)
        let context = AnswerContext(bus: place.description, now: .now, .elsewhere)
        return try query.document(in: message, context).content
    }

    /// Returns the status of a node of the site at `place`, with its environment, preferences and last
    /// outcomes.
    func status(of path: NodePath, ofSiteAt place: NodePath) async throws -> NodeStatusDocument {
        let tree = try await document(of: .tree(at: path, depth: 0), ofSiteAt: place)
        guard var node = tree.nodes.first else {
            throw CascadeError(.violation, "the site's answer about '\(path)' contains no node")
        }
        async let values = document(of: .environment(at: path), ofSiteAt: place)
        async let preferences = document(of: .preferences(at: path), ofSiteAt: place)
        async let past = document(of: .pastMessages(of: path), ofSiteAt: place)
        node.add(try await values, try await preferences, try await past)
        return NodeStatusDocument(bus: tree.bus, node: node)
    }

    // MARK: - Trails

    /// Returns an event with the visits at the sites that it has reached, as `cascadectl trace --sites`
    /// prints it. The member `unanswered` has the sites that could not be asked, and why.
    ///
    /// - Parameter site: The place of a site that knows the event; this bus need not.
    func trace(_ id: EventID, ofSiteAt site: NodePath? = nil) async throws -> JSONValue {
        var joined = JoinedTrail(of: site)
        var unanswered: [JSONValue] = []
        while let place = joined.next() {
            do {
                let (trail, report) = try await known(of: id, at: place, isCertain: site == nil)
                joined.record(trail, report, of: place)
            } catch  where !place.isRoot {
                let reason = Refusal(of: error).message
                joined.record(nil, SiteReport(failure: reason), of: place)
                unanswered.append(
                    .members([
                        "site": (joined.realm[place]?.entry.name).map { .string($0) },
                        "place": .text(place), "message": .string(reason),
                    ]))
            }
        }
        guard let document = joined.document else {
            throw CascadeError(
                .refused, "no site that can be seen knows the event \(id)", reason: .noSuchEvent)
        }
        let added = JSONValue.memberList([
            "unanswered": unanswered.isEmpty ? nil : .array(unanswered)
        ])
        return .object(document.json.members + added)
    }

    /// Asks a site about an event, and about the sites around it.
    ///
    /// - Parameter isCertain: Whether this bus must know the event.
    private func known(
        of id: EventID, at place: NodePath, isCertain: Bool
    ) async throws -> (OutcomeDocument?, SiteReport) {
        guard place.isRoot else {
            async let told = sites(knownAt: place)
            let trail = try await trail(of: id, at: place)
            return (trail, SiteReport(sites: try await told, nodes: []))
        }
        var trail: OutcomeDocument?
        do {
            trail = try ReceivedDocument(parsing: await link.query(.trace(id))).content
        } catch let error as CascadeError where error.reason == .noSuchEvent && !isCertain {
            trail = nil
        }
        var report = SiteReport(nodes: mounts)
        if trail.map(hasCrossed) ?? true, try await link.isSite() {
            // Without an answer the sites below are known by their mounts.
            report.sites = try? await sites(knownAt: .root)
        }
        return (trail, report)
    }

    /// Returns what another site knows of an event; `nil` if it does not know it.
    private func trail(of id: EventID, at place: NodePath) async throws -> OutcomeDocument? {
        do {
            let message = try await answer(to: .trace(id), ofSiteAt: place)
            return try ReceivedDocument(parsing: message).content
        } catch let error as CascadeError where error.reason == .noSuchEvent {
            return nil
        }
    }

    /// Whether an event has been at a place where another site begins.
    private func hasCrossed(_ trail: OutcomeDocument) -> Bool {
        trail.places.contains { place in
            place.isRoot || place.isForeign || mounts.contains { $0.path.contains(place) }
        }
    }
}

extension MachineLookup {
    /// Of the processes of another machine, and of its users, this one knows nothing.
    static let elsewhere = MachineLookup(
        userName: { _ in nil }, residentByteCount: { _ in nil })
}

extension Refusal {
    /// The refusal for an error of a question.
    init(of error: any Error) {
        switch error {
        case let refusal as Refusal: self = refusal
        case let error as CascadeError: self.init(error)
        case let fault as SiteFault:
            let sentence = fault.description.capitalizedFirst + "."
            switch fault.kind {
            case .denied: self.init(403, "denied", sentence)
            case .noSite, .closed: self.init(404, "noSite", sentence)
            case .silent: self.init(503, "siteSilent", sentence)
            }
        default: self.init(500, "failed", "The answer cannot be read: \(error)")
        }
    }
}

extension String {
    fileprivate var capitalizedFirst: String {
        prefix(1).uppercased() + dropFirst()
    }
}
