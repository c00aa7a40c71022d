// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON

/// Answers that go on at the sites above.
extension Bus {
    /// A site above, and where this bus or one above it stands there.
    private struct SiteAbove {
        let place: NodePath
        let step: SitesAbove.Step
        /// The way from this bus to it.
        let way: SitesAbove

        /// Returns the name here of a node that the site names `path`.
        func name(of path: NodePath) -> NodePath {
            way.path(path, ofSiteAt: place)
        }
    }

    /// Calls `ask` for each site above, nearest first, until it returns `false`. A site that cannot be
    /// asked, or refuses to answer, ends the way, which a diagnostic says. Throws only if this bus's own site
    /// cannot be asked.
    private func goUp(_ ask: (SiteAbove) async throws -> Bool) async throws {
        var told = try await sites(knownAt: .root)
        var way = SitesAbove(of: told.site)
        do {
            while let itself = told.itself, let parent = itself.parent {
                guard itself.state.isLinked, let mount = itself.mount else {
                    Output.diagnostic(
                        "nothing above '\(itself.name)' is shown: \(itself.sentence)"
                            .safeForTerminal)
                    return
                }
                let step = SitesAbove.Step(site: parent, mount: mount)
                way.append(step)
                let place = try SitesAbove.place(of: parent)
                guard try await ask(SiteAbove(place: place, step: step, way: way)) else {
                    return
                }
                told = try await sites(knownAt: place)
            }
        } catch {
            Output.diagnostic(
                "nothing above is shown: \(Stop(error)?.message ?? "\(error)")".safeForTerminal)
        }
    }

    /// Returns the route of a message on this bus and, if it leaves that at its root, on those above.
    func routeOverSites(_ query: RouteQuery) async throws -> RouteDocument {
        var document = try RouteDocument(answer: await link.query(.route(query)))
        guard document.leavesBus else {
            return document
        }
        try await goUp { site in
            var above = query
            above.path = site.step.mount.parent ?? .root
            let answer = try await self.answer(to: .route(above), ofSiteAt: site.place)
            let found = try RouteDocument(answer: answer)
            document.responders += found.naming(site.name(of:)).responders
            return found.leavesBus
        }
        return document
    }

    /// Returns the candidates for a value on this bus, and on those above it for this bus's place there.
    func explanationOverSites(
        of key: EventName, at path: NodePath
    ) async throws -> ExplanationOverSites {
        let answer = try await link.query(.explanation(key: key, path: path))
        var document = ExplanationOverSites(own: try ReceivedDocument(parsing: answer))
        try await goUp { site in
            let subject = Query.Subject.explanation(key: key, path: site.step.mount)
            let found = try ExplanationDocument(
                answer: await self.answer(to: subject, ofSiteAt: site.place))
            document.above.append(
                ExplanationOverSites.Part(
                    site: site.step.site, at: site.name(of: site.step.mount),
                    explanation: found.naming(site.name(of:))))
            return true
        }
        return document
    }
}

extension RouteDocument {
    /// Whether the message reaches a responder at the root of the bus, which passes it on.
    fileprivate var leavesBus: Bool {
        responders.contains { $0.path.isRoot && $0.asked }
    }
}

/// The candidates for a value on this bus, followed by those on the buses above it.
struct ExplanationOverSites: Document {
    struct Part {
        let site: String
        /// The place for which the site above explains the value.
        let at: NodePath
        let explanation: ExplanationDocument
    }

    let own: ReceivedDocument<ExplanationDocument>
    var above: [Part] = []

    var status: ExitStatus {
        own.content.status
    }

    var json: JSONValue {
        let parts = above.map { part in
            JSONValue.members([
                "site": .string(part.site), "at": .text(part.at), "value": part.explanation.value,
                "candidates": part.explanation.json["candidates"],
            ])
        }
        return .object(own.json.members + JSONValue.memberList(["above": .array(parts)]))
    }

    func text(_ style: Style) -> String {
        let parts = above.map { part in
            style.apply(.bold, "at the site \(part.site)".safeForTerminal) + "\n"
                + part.explanation.text(style)
        }
        return ([own.content.text(style)] + parts).joined(separator: "\n")
    }
}
