// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeSession

/// Queries that another site answers: the sites in between pass them on.
extension Bus {
    /// Returns the answer of the bus, or of the site that is asked in its place. Throws `CascadeError`
    /// if that refuses, and ``Stop`` if it cannot be asked.
    func query(_ subject: Query.Subject) async throws -> [UInt8] {
        guard let asked else {
            return try await link.query(subject)
        }
        return try await answer(to: subject, ofSiteAt: asked.place)
    }

    /// Returns the answer of the site at `place`, in the names of this bus.
    func answer(to subject: Query.Subject, ofSiteAt place: NodePath) async throws -> [UInt8] {
        let isUpward = place.isRoot || place.isForeign
        let origin = isUpward ? NodePath.root : try await mount(towards: place).path
        do {
            return try await link.answer(to: subject, ofSiteAt: place, from: origin)
        } catch let fault as SiteFault {
            throw Stop(fault)
        }
    }

    /// Returns the mount at which the way to a place below begins. Throws ``Stop`` if there is none, or
    /// no site stands there now.
    private func mount(towards place: NodePath) async throws -> NodeSnapshot {
        let mounts = try await localMounts()
        guard let mount = mounts.first(where: { $0.path.contains(place) }) else {
            let known = mounts.map { "'\($0.path)'" }.joined(separator: ", ")
            throw Stop(
                .absent,
                "no site stands at '\(place)'"
                    + (known.isEmpty
                        ? ": this bus has no mounts" : "; the mounts here are \(known)"))
        }
        guard mount.state != .vacant else {
            let site = mount.path == place ? "the site" : "the way to '\(place)'"
            throw Stop(
                .tryAgain,
                "\(site) is cut: '\(mount.path)' has been vacant for "
                    + Age.text(microseconds: mount.ageMicroseconds))
        }
        return mount
    }

    /// Returns the nodes of this bus at which sites stand.
    func localMounts() async throws -> [NodeSnapshot] {
        let answer = try await link.query(.tree(path: .root, depth: .max))
        return try TreeAnswer(parsing: answer).nodes.filter(\.isMount)
    }
}

// MARK: - The realm

extension Bus {
    /// Asks the sites of the realm what they know.
    func realm() async -> Realm {
        await Realm { place in await report(ofSiteAt: place) }
    }

    private func report(ofSiteAt place: NodePath) async -> SiteReport {
        async let told = sites(knownAt: place)
        async let listed = nodes(ofSiteAt: place)
        var report = SiteReport()
        var failures: [any Error] = []
        do {
            report.sites = try await told
        } catch {
            failures.append(error)
        }
        do {
            report.nodes = try await listed
        } catch {
            report.refusesNodes = (error as? CascadeError)?.reason == .denied
            failures.append(error)
        }
        let stops = failures.compactMap { Stop($0) }
        report.failure = stops.last?.message ?? failures.last.map { "\($0)" }
        report.isSilent = stops.contains { $0.status == .tryAgain }
        return report
    }

    /// Returns what the site at `place` knows of the sites around it. Throws ``Stop`` if this bus is no
    /// site, and is asked.
    func sites(knownAt place: NodePath) async throws -> SitesDocument {
        if place.isRoot, try await !link.isSite() {
            throw Stop(SiteFault.noSite)
        }
        return try SitesDocument(answer: try await answer(to: .sites, ofSiteAt: place))
    }

    private func nodes(ofSiteAt place: NodePath) async throws -> [NodeSnapshot] {
        let subject = Query.Subject.tree(path: .root, depth: .max)
        let message =
            place.isRoot
            ? try await link.query(subject) : try await answer(to: subject, ofSiteAt: place)
        return try TreeAnswer(parsing: message).nodes
    }
}

extension Stop {
    /// The end of a command whose question a site has not answered.
    fileprivate init(_ fault: SiteFault) {
        let status: ExitStatus =
            switch fault.kind {
            case .denied: .denied
            case .noSite, .closed: .negative
            case .silent: .tryAgain
            }
        self.init(status, fault.description)
    }
}
