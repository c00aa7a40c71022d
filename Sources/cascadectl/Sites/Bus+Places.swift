// SPDX-License-Identifier: Apache-2.0

import Cascade
package import CascadeInspection

/// The site that answers the queries of a command in place of the bus.
struct AskedSite: Sendable {
    let name: String
    /// The site's root, in the names of the bus.
    let place: NodePath
    /// Whether the option `--site` names it: then the command's paths are those of the site.
    var isOption = false
}

extension Bus {
    /// The name of the bus, or of the site that is asked in its place.
    var name: String {
        asked?.name ?? welcome.bus
    }

    /// Returns the entries of nodes in an answer. The users and processes of another machine are not
    /// looked up on this one.
    func entries(_ nodes: [NodeSnapshot], now: Timestamp = .now) -> [NodeEntry] {
        nodes.map { node in
            asked == nil
                ? NodeEntry(node: node, now: now)
                : NodeEntry(node: node, now: now, user: nil, residentBytes: nil)
        }
    }

    func asking(_ site: AskedSite) -> Bus {
        var bus = self
        bus.asked = site
        return bus
    }

    /// Returns the bus with the site that an option names; the bus itself without an option, and for its
    /// own site. Throws ``Stop`` if no site, or more than one, has the name.
    ///
    /// - Parameter text: A name, the place of a site's root in the names of this bus, or a foreign place such
    ///   as `/ulm:`, which may name any site as a path does.
    func asking(site text: String?) async throws -> Bus {
        guard let text else {
            return self
        }
        if text.hasPrefix("/") {
            let place = try NodePath(text)
            if let name = place.foreignSite, place.depth == 1 {
                return try await foreign(name)
            }
            return place.isRoot
                ? self : asking(AskedSite(name: place.foreignSite ?? place.name, place: place))
        }
        let site = try await realm().site(named: text)
        guard site.place.isRoot || site.entry.state == "up" else {
            throw Stop(.tryAgain, site.failure ?? site.entry.sentence)
        }
        return site.place.isRoot
            ? self : asking(AskedSite(name: site.entry.name, place: site.place))
    }

    /// Returns the same for the site of the option `--site`.
    func asking(option site: String?) async throws -> Bus {
        var bus = try await asking(site: site)
        bus.asked?.isOption = true
        return bus
    }

    // MARK: - Paths of other sites

    /// Runs `body` with the site that has the node at `path`, and with the node's path there. The site is
    /// another one for a foreign place, and for a path below a mount.
    func reaching<Result: Sendable>(
        _ path: NodePath, _ body: (Bus, NodePath) async throws -> Result
    ) async throws -> Result {
        if let name = path.foreignSite {
            return try await foreign(name).reaching(path.dropping(1), body)
        }
        do {
            return try await body(self, path)
        } catch let error as CascadeError {
            guard error.reason == .noSuchNode, let mount = try? await mount(above: path) else {
                throw asked == nil ? error : await suggesting(error).ofSite
            }
            let place = SitesAbove(of: nil).path(mount.path, ofSiteAt: asked?.place ?? .root)
            let site = AskedSite(name: mount.holder?.key ?? mount.path.name, place: place)
            return try await asking(site).reaching(mount.path.relative(path), body)
        }
    }

    /// Returns the site that has the node at `path`, and the node's path there, for a command that asks
    /// it again and again.
    func located(_ path: NodePath) async throws -> (bus: Bus, path: NodePath) {
        guard !path.isRoot else {
            return (self, path)
        }
        return try await reaching(path) { bus, path in
            _ = try await bus.query(.tree(path: path, depth: 0))
            return (bus, path)
        }
    }

    /// Returns the bus that asks the site of a foreign place.
    private func foreign(_ name: String) async throws -> Bus {
        // A site above is found by its name alone.
        if asked == nil, let own = try? await sites(knownAt: .root) {
            if own.site == name {
                return self
            }
            if own.path.contains(name) {
                return asking(AskedSite(name: name, place: try SitesAbove.place(of: name)))
            }
        }
        return try await asking(site: name)
    }

    /// Returns the mount strictly above `path` on the bus that is asked; `nil` if there is none.
    private func mount(above path: NodePath) async throws -> NodeSnapshot? {
        let answer = try await query(.tree(path: .root, depth: .max))
        return try TreeAnswer(parsing: answer).nodes.first {
            $0.isMount && $0.path != path && $0.path.contains(path)
        }
    }
}

extension CascadeError {
    /// The error as that of another site, to which suggestions from this bus do not apply.
    fileprivate var ofSite: Stop {
        Stop(ExitStatus(self), message)
    }
}

extension Realm {
    /// Returns the only site with a name. Throws ``Stop`` if there is none, or more than one.
    func site(named name: String) throws -> Site {
        let found = sites(named: name)
        guard let site = found.first, found.count == 1 else {
            throw Stop(found.isEmpty ? .absent : .usage, problem(withName: name))
        }
        return site
    }

    /// Returns why a name does not name one site, as a sentence; `nil` if it does.
    package func problem(withName name: String) -> String? {
        let found = sites(named: name)
        guard let first = found.first else {
            let names = Set(sites.map(\.entry.name).filter { !$0.isEmpty })
            let known = names.sorted().map { "'\($0)'" }.joined(separator: ", ")
            return "there is no site '\(name)'"
                + (own == nil ? "; \(ownFailure ?? "this bus is not a site")" : "")
                + (known.isEmpty ? "" : "; the sites that can be seen are \(known)")
        }
        let places = found.map { "'\($0.place)'" }.joined(separator: " and ")
        return found.count == 1
            ? nil
            : "\(found.count) sites are named '\(name)': \(places); name one by its place, as in "
                + "--site \(first.place)"
    }
}
