// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire
import NATS

/// The sites below this one.
extension SiteSetup {
    /// Admits a site below this one: a user of the server with its permissions, the lines of the
    /// policy, and the mount in the configuration. Returns the invitation for it.
    ///
    /// - Parameters:
    ///   - publicKey: The key that the child has made itself; `nil` to make one for it.
    ///   - expiry: The end of the time in which the child can use the invitation.
    ///   - handOver: Writes the invitation, or adds its file to the changes. If it throws an error, the child
    ///     is not admitted.
    func add(
        _ child: SiteName, at mount: NodePath, publicKey: String?, expiry: Timestamp,
        handOver: (Invitation, inout FileChanges) throws -> Void = { _, _ in }
    ) throws -> Invitation {
        try folder.locked {
            var (configuration, server, text) = try parent()
            try check(child, at: mount, of: configuration)
            let (address, trust) = try invitationParts(of: server)
            let key = publicKey == nil ? UserKey.random() : nil
            let publicKey = publicKey ?? key?.publicKey ?? ""
            try check(publicKey, of: child)
            configuration.children[child] = mount
            text.set("children.\(child)", to: mount.description)
            var changes = FileChanges()
            if var users = try users(of: configuration) {
                try check(publicKey, isNewIn: users)
                users.children[child] = publicKey
                changes.write(folder.users, users.text)
            }
            changes.writePolicy(folder.policy, configuration.children)
            changes.write(folder.configuration, text.text)
            let invitation = Invitation(
                trust: trust, realm: configuration.realm, parent: configuration.name, site: child,
                mount: mount, server: address, publicKey: publicKey, key: key, expiry: expiry)
            try handOver(invitation, &changes)
            try changes.apply()
            return invitation
        }
    }

    /// Ends the admission of a child.
    func remove(_ child: SiteName) throws {
        try folder.locked {
            var (configuration, _, text) = try parent()
            guard configuration.children.removeValue(forKey: child) != nil else {
                throw Stop(
                    .usage,
                    "no site '\(child)' is below '\(configuration.name)'; "
                        + Self.list(configuration.children))
            }
            text.set("children.\(child)", to: nil)
            var changes = FileChanges()
            if var users = try users(of: configuration) {
                users.children[child] = nil
                changes.write(folder.users, users.text)
            }
            changes.writePolicy(folder.policy, configuration.children)
            changes.write(folder.configuration, text.text)
            try changes.apply()
        }
    }

    /// Returns the subjects of a child and of the gate, for a NATS server that cascade-site does not
    /// configure, and what to do first if the child is not admitted.
    func permissions(of child: SiteName) throws -> (text: String, advice: String?) {
        guard let (configuration, _) = try present() else {
            throw Stop(.configuration, "this site has no name yet; run 'cascade-site init' first")
        }
        let subjects = LinkSubjects(realm: configuration.realm, parent: configuration.name)
        let text = """
            # \(child), a site below \(configuration.name): a user of NATS with its key or its password
            permissions: {
              publish: ["\(subjects.upPattern(of: child))"]
              subscribe: ["\(subjects.downPattern(of: child))"]
            }

            # \(configuration.name), for all sites below it
            permissions: {
              publish: ["\(subjects.downPattern)"]
              subscribe: ["\(subjects.upPattern)"]
            }

            # As options of nsc, for a server with JWTs
            nsc add user \(child) --allow-pub '\(subjects.upPattern(of: child))' \
            --allow-sub '\(subjects.downPattern(of: child))'
            nsc add user \(configuration.name) --allow-pub '\(subjects.downPattern)' \
            --allow-sub '\(subjects.upPattern)'

            """
        guard configuration.children[child] == nil else {
            return (text, nil)
        }
        let advice =
            "No site '\(child)' is admitted below '\(configuration.name)'; "
            + "\(Self.list(configuration.children)). 'cascade-site add \(child) PATH' admits it."
        return (text, advice)
    }

    // MARK: - Checks

    private func check(
        _ child: SiteName, at mount: NodePath, of configuration: SiteConfiguration
    ) throws(Stop) {
        if let mount = configuration.children[child] {
            throw Stop(
                .denied,
                "the name '\(child)' is taken: that site stands at \(mount); 'cascade-site remove \(child)' "
                    + "ends its admission")
        }
        if configuration.parent?.name == child {
            throw Stop(
                .denied, "'\(child)' is the parent of this site, and cannot stand below it")
        }
        var children = configuration.children
        children[child] = mount
        do throws(GateConfigurationError) {
            _ = try GateConfiguration(
                name: configuration.name, bus: configuration.bus, children: children)
        } catch {
            throw Stop(.usage, "\(error)")
        }
    }

    private func check(_ publicKey: String, of child: SiteName) throws(Stop) {
        guard UserKey.isPublicKey(publicKey) else {
            throw Stop(
                .usage,
                "'\(publicKey.escapedForDisplay())' is not the public key of a site: 'cascade-site key' at "
                    + "'\(child)' prints it")
        }
    }

    private func check(_ publicKey: String, isNewIn users: ServerUsers) throws(Stop) {
        if publicKey == users.gate {
            throw Stop(.denied, "this is the key of this site; a site below has its own")
        }
        if let other = users.children.first(where: { $0.value == publicKey })?.key {
            throw Stop(.denied, "this is the key of the site '\(other)'; each site has its own")
        }
    }

    /// The address of the server, and its certificate, as the children need them.
    private func invitationParts(
        of server: SiteServer
    ) throws(Stop) -> (ServerAddress, trust: String) {
        guard let address = server.publicAddress else {
            throw Stop(
                .configuration,
                "'\(folder.configuration)' does not say at which address children reach the server: set "
                    + "'publicAddress' in the section 'server'")
        }
        guard let file = server.access.trust else {
            throw Stop(
                .configuration,
                "the server has no certificate ('trust: none'), so an invitation cannot name one; set up "
                    + "TLS, or write 'site.yaml' of the child by hand")
        }
        guard let trust = try SetupFolder.text(of: file) else {
            throw Stop(.configuration, "the certificate '\(file)' of the server does not exist")
        }
        return (address, trust)
    }

    private static func list(_ children: [SiteName: NodePath]) -> String {
        let names = children.keys.map(\.description).sorted()
        return names.isEmpty
            ? "it has no sites below" : "those below it are \(names.joined(separator: ", "))"
    }
}

extension FileChanges {
    /// Adds the policy for the children of a site. Without children there is no file.
    fileprivate mutating func writePolicy(_ path: String, _ children: [SiteName: NodePath]) {
        if let text = ChildPolicy(children: children).text {
            write(path, text)
        } else {
            remove(path)
        }
    }
}
