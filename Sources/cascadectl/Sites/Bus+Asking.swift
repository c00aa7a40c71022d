// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeSession

/// Queries that another site answers: the sites in between pass them on.
extension Bus {
    /// The time for which a site may take to answer.
    private static let answerLimit = TimeSpan(milliseconds: Link.siteAnswerMilliseconds)

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
        let settled: SettledEvent
        do {
            settled = try await link.ask(subject, ofSiteAt: place, from: origin)
        } catch let error as CascadeError where error.reason == .denied {
            throw Stop(.denied, "cannot look at other sites from '\(origin)': \(error.message)")
        }
        guard settled.ended.code == .handled, let reply = settled.reply else {
            throw Self.error(settled, place)
        }
        return try Link.answer(reply.payload)
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

    /// Returns the error of a question that has no answer.
    private static func error(_ settled: SettledEvent, _ place: NodePath) -> any Error {
        let name = place.isRoot ? "this bus's own site" : "the site at '\(place)'"
        switch settled.ended.code {
        case .unhandled:
            return place.isRoot || place.isForeign
                ? Stop.noSite : Stop(.negative, "\(name) takes no questions")
        case .timedOut:
            return Stop(.tryAgain, "\(name) did not answer within \(answerLimit)")
        default:
            let failure = settled.ended.failure
            let words =
                failure?.message ?? failure.map { "\($0.name)" } ?? settled.ended.code.name
            let code = ErrorCode.allCases.first { "\($0)" == failure?.name.description }
            if code == .timedOut || code == .nodeLost {
                return Stop(.tryAgain, "\(name) did not answer: \(words)")
            }
            // Suggestions read the names in quotes.
            return CascadeError(
                .refused, place.isRoot ? words : "\(words) (at the site \(place))", reason: code)
        }
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
        if place.isRoot, try await !isSite() {
            throw Stop.noSite
        }
        return try SitesDocument(answer: try await answer(to: .sites, ofSiteAt: place))
    }

    /// Whether a site's bridge holds the bus's root. A question that nobody takes would count as
    /// unhandled.
    func isSite() async throws -> Bool {
        let answer = try await link.query(.tree(path: .root, depth: 0))
        return try TreeAnswer(parsing: answer).nodes.first?.connectsSites ?? false
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
    fileprivate static var noSite: Stop {
        Stop(.negative, "this bus is no site: nobody connects its '/'; is cascade-site running?")
    }
}
