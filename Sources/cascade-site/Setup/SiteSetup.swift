// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire
import Glibc
import NATS

/// The setup of one site: the files of its configuration, and how `init`, `add`, `remove` and `join`
/// change them. No other process is told; ``Services`` does that.
struct SiteSetup {
    let folder: SetupFolder
    /// The user of `cascade-nats.service`, which must read the server's secret.
    private static let serverUser = "cascade-nats"

    init(folder: SetupFolder) {
        self.folder = folder
    }

    // MARK: - Reading

    /// The configuration, and its text, which keeps the administrator's comments; `nil` without a file.
    ///
    /// - Parameter name: The name that the site is about to have, for a file with settings and no name.
    func present(
        naming name: SiteName? = nil
    ) throws -> (configuration: SiteConfiguration, text: SiteConfigurationText)? {
        guard let content = try SetupFolder.text(of: folder.configuration),
            !content.allSatisfy(\.isWhitespace)
        else {
            return nil
        }
        let text = SiteConfigurationText(content)
        do throws(SiteConfigurationError) {
            return (try SiteConfiguration(text: content, file: folder.configuration), text)
        } catch {
            var named = text
            if let name, !text.hasSetting("name") {
                named.set("name", to: name.description)
            }
            guard named != text,
                let configuration = try? SiteConfiguration(
                    text: named.text, file: folder.configuration)
            else {
                throw Stop(.configuration, "\(error)")
            }
            return (configuration, text)
        }
    }

    /// The configuration of a site that has a server for its children. Throws ``Stop`` without one.
    func parent() throws -> (
        configuration: SiteConfiguration, server: SiteServer, text: SiteConfigurationText
    ) {
        guard let (configuration, text) = try present(), let server = configuration.server else {
            throw Stop(
                .configuration,
                "this site has no server for sites below it; run 'cascade-site init NAME --address HOST' "
                    + "first")
        }
        return (configuration, server, text)
    }

    /// The users of the site's own server; `nil` if cascade-site does not configure the server.
    func users(of configuration: SiteConfiguration) throws -> ServerUsers? {
        guard let text = try SetupFolder.text(of: folder.users) else {
            return nil
        }
        let subjects = LinkSubjects(realm: configuration.realm, parent: configuration.name)
        return try ServerUsers(
            parsing: text, subjects: subjects, file: folder.users)
    }

    /// Returns the key in a file; `nil` if the file does not exist. Throws ``Stop`` if a site would refuse it.
    func key(in file: String) throws(Stop) -> UserKey? {
        guard let text = try SetupFolder.text(of: file) else {
            return nil
        }
        do throws(SiteSecretError) {
            return try UserKey(text: text, of: file)
        } catch {
            throw Stop(
                .configuration, "\(error); remove the file, and add this site at its parent again")
        }
    }

    // MARK: - Own key

    /// Returns the public key of this site, and creates its key first if there is none.
    func ownPublicKey() throws -> String {
        try folder.locked {
            if let key = try key(in: folder.parentKey) {
                return key.publicKey
            }
            let key = UserKey.random()
            var changes = FileChanges()
            changes.writeSecret(folder.parentKey, key.seed + "\n")
            try changes.apply()
            return key.publicKey
        }
    }

    // MARK: - Init

    /// Makes this site one that others can stand below: a key for its gate, a certificate, and the
    /// configuration of its server.
    func initialize(
        name: SiteName, realm: SiteName?, address: ServerAddress, interface: String
    ) throws {
        try folder.locked {
            let present = try present(naming: name)
            if let configuration = present?.configuration {
                try check(configuration, allows: name, realm)
            }
            let realm = realm ?? present?.configuration.realm ?? Self.defaultRealm
            // The gate dials the server without a name that this machine might not know.
            let isAny = ["0.0.0.0", "::"].contains(interface)
            let own = ServerAddress(host: isAny ? "127.0.0.1" : interface, port: address.port)
            let certificate = try Certificate(for: address, own, of: name)
            let key = UserKey.random()
            let subjects = LinkSubjects(realm: realm, parent: name)
            var text = present?.text ?? SiteConfigurationText(Self.heading)
            text.set("name", to: name.description)
            text.set("realm", to: realm.description)
            text.set("server.publicAddress", to: address.description)
            text.set("server.address", to: own.description)
            text.set(
                "server.listen", to: ServerAddress(host: interface, port: address.port).description)
            text.set("server.key", to: folder.gateKey)
            text.set("server.trust", to: folder.certificate)
            var changes = FileChanges()
            changes.writeSecret(folder.gateKey, key.seed + "\n")
            changes.write(folder.certificate, certificate.text)
            changes.writeSecret(folder.certificateKey, certificate.key, owner: Self.serverUser)
            changes.write(folder.users, ServerUsers(subjects: subjects, gate: key.publicKey).text)
            changes.write(
                folder.server,
                ServerFile(folder: folder, port: address.port, interface: interface).text)
            changes.write(folder.configuration, text.text)
            try changes.apply()
        }
    }

    static let defaultRealm: SiteName = "main"

    static let heading = """
        # The configuration of cascade-site. Its manual page describes all settings; 'systemctl reload
        # cascade-site' applies a change.


        """

    private func check(
        _ configuration: SiteConfiguration, allows name: SiteName, _ realm: SiteName?
    ) throws(Stop) {
        guard configuration.name == name else {
            throw Stop(
                .denied,
                "this site is '\(configuration.name)' already, says '\(folder.configuration)'; a site has "
                    + "one name")
        }
        guard realm == nil || configuration.realm == realm else {
            throw Stop(
                .denied,
                "this site is in the realm '\(configuration.realm)' already, says "
                    + "'\(folder.configuration)'")
        }
        guard configuration.server == nil else {
            throw Stop(
                .denied,
                "this site has a server already; 'cascade-site add NAME PATH' admits a site below it"
            )
        }
    }
}

extension UserKey {
    /// Creates a key of random bytes.
    static func random() -> UserKey {
        var generator = SystemRandomNumberGenerator()
        return UserKey(
            secret: (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
