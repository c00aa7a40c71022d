// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeTestSupport
import CascadeWire
import FoundationEssentials
import Glibc
import NATS
import Testing

@testable import cascade_site

/// The setup of two sites in folders of their own.
@Suite struct SetupTests {
    private let directory: TemporaryDirectory
    private let hq: SiteSetup
    private let ulm: SiteSetup
    private static let program = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().appending(path: "cascade-site").path
    private static let now = Timestamp(microseconds: 1_800_000_000_000_000)

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["hq", "ulm"] {
            mkdir("\(directory.path)/\(name)", 0o755)
        }
        hq = SiteSetup(folder: SetupFolder(configuration: "\(directory.path)/hq/site.yaml"))
        ulm = SiteSetup(folder: SetupFolder(configuration: "\(directory.path)/ulm/site.yaml"))
    }

    private func initialize() throws {
        try hq.initialize(
            name: "hq", realm: "shops", address: ServerAddress(host: "hq.example", port: 7_300),
            interface: "127.0.0.1")
    }

    private func add(
        _ name: SiteName = "ulm", _ path: NodePath = "/shop/ulm", key: String? = nil
    ) throws -> Invitation {
        try hq.add(name, at: path, publicKey: key, expiry: Self.now.advanced(byDays: 7))
    }

    private func error(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no error"
        } catch {
            return "\(error)"
        }
    }

    private func mode(_ file: String) -> mode_t {
        var status = stat()
        stat(file, &status)
        return status.st_mode & 0o777
    }

    private func text(_ file: String) throws -> String {
        try #require(try SetupFolder.text(of: file))
    }

    @Test func `a site that is not set up says how it is set up`() throws {
        let file = hq.folder.configuration
        let command = "\(Self.program) --config \(file) 2>&1"
        let result = try ProgramResult(running: ["sh", "-c", command])
        #expect(result.status == 78)
        #expect(result.output.hasPrefix("cannot read \(file): No such file or directory\n"))
        #expect(result.output.contains("'cascade-site init NAME --address HOST'"))
        #expect(result.output.contains("'cascade-site join FILE'"))
        try directory.write("hq/site.yaml", "nane: hq\n".utf8)
        let faulty = try ProgramResult(running: ["sh", "-c", command])
        #expect(!faulty.output.contains("cascade-site init"))
    }

    @Test func `a file is read whole, or the error says why not`() throws {
        #expect(try SetupFolder.text(of: "\(directory.path)/none") == nil)
        let whole = String(repeating: "x", count: 1 << 20)
        let file = try directory.write("long", whole.utf8)
        #expect(try SetupFolder.text(of: file) == whole)
        try directory.write("long", (whole + "x").utf8)
        #expect(
            error { _ = try SetupFolder.text(of: file) }
                == "cannot read '\(file)': it has more than 1048576 bytes")
        #expect(
            error { _ = try SetupFolder.text(of: directory.path) }
                == "cannot read '\(directory.path)': Is a directory")
    }

    // MARK: - Init

    @Test func `init writes a configuration, a key, a certificate and a server`() throws {
        try initialize()
        let (configuration, server, _) = try hq.parent()
        #expect(configuration.name == "hq")
        #expect(configuration.realm == "shops")
        #expect(configuration.children.isEmpty)
        #expect(server.publicAddress == ServerAddress(host: "hq.example", port: 7_300))
        #expect(server.access.address == ServerAddress(host: "127.0.0.1", port: 7_300))
        #expect(server.listen.description == "127.0.0.1:7300")
        #expect(mode(hq.folder.gateKey) == 0o600)
        #expect(mode(hq.folder.certificateKey) == 0o600)
        let users = try #require(try hq.users(of: configuration))
        #expect(try users.gate == hq.key(in: hq.folder.gateKey)?.publicKey)
        #expect(try text(hq.folder.server).contains("listen: \"127.0.0.1:7300\"\n"))
        let shown = try ProgramResult(running: [
            "openssl", "x509", "-noout", "-text", "-in", hq.folder.certificate,
        ]).output
        #expect(shown.contains("DNS:hq.example, IP Address:127.0.0.1, DNS:localhost"))
        #expect(shown.contains("ASN1 OID: prime256v1"))
    }

    @Test func `a second init, and another name or realm, are refused`() throws {
        try initialize()
        #expect(error { try initialize() }.contains("has a server already"))
        let address = ServerAddress(host: "a.example")
        let other = error {
            try hq.initialize(name: "b", realm: nil, address: address, interface: "0.0.0.0")
        }
        #expect(other.hasPrefix("this site is 'hq' already"))
        let realm = error {
            try hq.initialize(name: "hq", realm: "r", address: address, interface: "0.0.0.0")
        }
        #expect(realm.hasPrefix("this site is in the realm 'shops' already"))
    }

    @Test(arguments: [
        ("hq.example", "127.0.0.1", "DNS:hq.example,IP:127.0.0.1,DNS:localhost"),
        ("192.0.2.7", "192.0.2.7", "IP:192.0.2.7,DNS:localhost,IP:127.0.0.1"),
        ("2001:db8::7", "127.0.0.1", "IP:2001:db8::7,IP:127.0.0.1,DNS:localhost"),
        ("localhost", "127.0.0.1", "DNS:localhost,IP:127.0.0.1"),
    ])
    func `a certificate names the addresses and this machine`(
        host: String, own: String, names: String
    ) {
        let (address, own) = (ServerAddress(host: host), ServerAddress(host: own))
        #expect(Certificate.names(of: address, own) == names)
    }

    @Test(arguments: ["::", "::1", "0.0.0.0"])
    func `the server accepts its configuration for an interface`(interface: String) throws {
        try hq.initialize(
            name: "hq", realm: nil, address: ServerAddress(host: "2001:db8::7"),
            interface: interface)
        let program = try #require(ProgramPath.find(ProgramPath.server))
        let result = try ProgramResult(
            running: ["sh", "-c", "\(program) -t --config \(hq.folder.server) 2>&1"])
        #expect(result.status == 0, "\(result.output)")
        #expect(try hq.parent().server.listen.host == interface)
    }

    // MARK: - Add and remove

    @Test func `add admits a child with its subjects, its policy and its mount`() throws {
        try initialize()
        let invitation = try add()
        let (configuration, _, _) = try hq.parent()
        #expect(configuration.children == ["ulm": "/shop/ulm"])
        let users = try text(hq.folder.users)
        #expect(
            users.contains(
                "  { nkey: \"\(invitation.publicKey)\", permissions: { publish: "
                    + "[\"cascade.shops.up.hq.ulm.>\"], subscribe: "
                    + "[\"cascade.shops.down.ulm.hq.>\"] } } # child ulm\n"))
        #expect(
            try text(hq.folder.policy).hasSuffix(
                "\nallow attach, subscribe, trigger, inspect, uplink /shop/ulm to key ulm\n"))
        #expect(invitation.key?.publicKey == invitation.publicKey)
        #expect(try invitation.trust == text(hq.folder.certificate))
        #expect(!users.contains(invitation.key?.seed ?? ""))
    }

    @Test func `a child whose invitation cannot be written is not admitted`() throws {
        try initialize()
        let files = [hq.folder.configuration, hq.folder.users]
        let before = try files.map(text)
        let command =
            "\(Self.program) add ulm /shop/ulm --config \(hq.folder.configuration) 2>&1 >/dev/full"
        let result = try ProgramResult(running: ["sh", "-c", command])
        #expect(result.status == 1)
        #expect(
            result.output
                == "cascade-site: cannot write 'standard output': No space left on device\n")
        #expect(try files.map(text) == before)
        #expect(try SetupFolder.text(of: hq.folder.policy) == nil)
    }

    @Test func `remove takes back all that add has written`() throws {
        try initialize()
        let files = [hq.folder.configuration, hq.folder.users]
        let before = try files.map(text)
        _ = try add()
        try hq.remove("ulm")
        #expect(try files.map(text) == before)
        #expect(try SetupFolder.text(of: hq.folder.policy) == nil)
        _ = try add("bonn", "/shop/bonn")
        _ = try add()
        try hq.remove("bonn")
        #expect(try hq.parent().configuration.children == ["ulm": "/shop/ulm"])
        #expect(try !text(hq.folder.policy).contains("bonn"))
        #expect(error { try hq.remove("bonn") }.hasSuffix("those below it are ulm"))
    }

    @Test func `add refuses names, mounts and keys that are taken`() throws {
        #expect(error { _ = try add() }.contains("run 'cascade-site init NAME"))
        try initialize()
        let invitation = try add()
        let before = try text(hq.folder.configuration)
        #expect(error { _ = try add() }.hasPrefix("the name 'ulm' is taken"))
        #expect(error { _ = try add("hq", "/a") }.contains("has the name of this site"))
        #expect(error { _ = try add("b", "/shop/ulm") }.contains("another child stands there"))
        #expect(error { _ = try add("b", "/shop/ulm/b") }.contains("another child stands above"))
        #expect(error { _ = try add("b", "/") }.contains("a mount is a node below the root"))
        #expect(
            error { _ = try add("b", "/b", key: invitation.publicKey) }
                == "this is the key of the site 'ulm'; each site has its own")
        #expect(error { _ = try add("b", "/b", key: "UXYZ") }.contains("'cascade-site key' at 'b'"))
        #expect(try text(hq.folder.configuration) == before)
        // A server that cascade-site does not configure has no file of users.
        unlink(hq.folder.users)
        #expect(error { _ = try add("b", "/b", key: "UXYZ") }.contains("'cascade-site key' at 'b'"))
        #expect(try text(hq.folder.configuration) == before)
    }

    @Test func `a changed file of users is not replaced`() throws {
        try initialize()
        let changed = try text(hq.folder.users) + "# mine\n"
        var changes = FileChanges()
        changes.write(hq.folder.users, changed)
        try changes.apply()
        #expect(error { _ = try add() }.contains("is not as cascade-site wrote it"))
        #expect(try text(hq.folder.users) == changed)
        #expect(try hq.parent().configuration.children.isEmpty)
    }

    // MARK: - Join

    @Test func `join writes the parent, the key and the trust`() throws {
        try initialize()
        let invitation = try add()
        try ulm.join(invitation, replacing: false, now: Self.now)
        let configuration = try #require(try ulm.present()).configuration
        #expect(configuration.name == "ulm")
        #expect(configuration.realm == "shops")
        let access = SiteServerAccess(
            address: ServerAddress(host: "hq.example", port: 7_300), key: ulm.folder.parentKey,
            trust: ulm.folder.parentTrust)
        #expect(configuration.parent == SiteParent(name: "hq", way: .server(access)))
        #expect(try text(ulm.folder.parentKey) == "\(invitation.key?.seed ?? "")\n")
        #expect(mode(ulm.folder.parentKey) == 0o600)
        #expect(try text(ulm.folder.parentTrust) == invitation.trust)
    }

    @Test func `a key that the child has made never leaves it`() throws {
        try initialize()
        let key = try ulm.ownPublicKey()
        #expect(try ulm.ownPublicKey() == key)
        let invitation = try add(key: key)
        // A seed begins so; other keys and certificates may have these letters within.
        let words = invitation.text.split(whereSeparator: \.isWhitespace)
        #expect(!words.contains { $0.hasPrefix("SU") && $0.count == 58 })
        try ulm.join(invitation, replacing: false, now: Self.now)
        #expect(try ulm.key(in: ulm.folder.parentKey)?.publicKey == key)
        try hq.remove("ulm")
        let other = UserKey(secret: [UInt8](repeating: 9, count: 32)).publicKey
        let wrong = try add(key: other)
        let reason = error { try ulm.join(wrong, replacing: true, now: Self.now) }
        #expect(reason.hasPrefix("the invitation is for the key \(other)"))
    }

    @Test func `a key that all users may read, or that is none, is not used`() throws {
        _ = try ulm.ownPublicKey()
        #expect(chmod(ulm.folder.parentKey, 0o604) == 0)
        #expect(
            error { _ = try ulm.ownPublicKey() }
                == "all users may access the key in '\(ulm.folder.parentKey)': a new one is needed, with mode "
                + "0600; remove the file, and add this site at its parent again")
        try "no seed".write(toFile: ulm.folder.parentKey, atomically: true, encoding: .utf8)
        #expect(chmod(ulm.folder.parentKey, 0o600) == 0)
        #expect(
            error { _ = try ulm.ownPublicKey() }.hasPrefix(
                "'\(ulm.folder.parentKey)' contains no seed of a NATS user; remove the file"))
    }

    @Test func `join refuses what does not fit, and writes nothing`() throws {
        try initialize()
        let invitation = try add()
        func reason(_ change: (inout Invitation) -> Void) -> String {
            var changed = invitation
            change(&changed)
            return error { try ulm.join(changed, replacing: false, now: Self.now) }
        }
        #expect(
            error { try ulm.join(invitation, replacing: false, now: invitation.expiry) }
                .hasPrefix("the invitation expired at 2027-01-22T08:00:00"))
        #expect(reason { $0.key = nil }.contains("'cascade-site key' makes one"))
        #expect(try ulm.present() == nil)
        #expect(access(ulm.folder.parentKey, F_OK) != 0)

        try ulm.join(invitation, replacing: false, now: Self.now)
        let before = try text(ulm.folder.configuration)
        #expect(reason { $0.site = "bonn" }.hasPrefix("the invitation is for the site 'bonn'"))
        #expect(reason { $0.realm = "other" }.hasPrefix("the invitation is for the realm 'other'"))
        #expect(
            reason { _ in }
                == "this site stands below 'hq' already; 'cascade-site join --replace' takes the new "
                + "invitation")
        #expect(
            reason { $0.parent = "main" }.hasSuffix("--replace' gives that parent up for 'main'"))
        #expect(try text(ulm.folder.configuration) == before)
        var other = invitation
        other.parent = "main"
        try ulm.join(other, replacing: true, now: Self.now)
        #expect(try ulm.present()?.configuration.parent?.name == "main")
    }

    @Test func `a site below another one can have sites below it`() throws {
        try initialize()
        try ulm.join(try add(), replacing: false, now: Self.now)
        try ulm.initialize(
            name: "ulm", realm: nil, address: ServerAddress(host: "ulm.example"),
            interface: "0.0.0.0")
        let expiry = Self.now.advanced(byDays: 1)
        let invitation = try ulm.add("till", at: "/till", publicKey: nil, expiry: expiry)
        #expect(invitation.realm == "shops")
        #expect(
            error { _ = try ulm.add("hq", at: "/x", publicKey: nil, expiry: expiry) }
                == "'hq' is the parent of this site, and cannot stand below it")
        let configuration = try #require(try ulm.present()).configuration
        #expect(configuration.parent?.name == "hq")
        #expect(configuration.children == ["till": "/till"])
    }

    @Test func `comments of the administrator stay`() throws {
        var changes = FileChanges()
        changes.write(ulm.folder.configuration, "# mine\nname: ulm  # and mine\npatience: 3s\n")
        try changes.apply()
        try initialize()
        try ulm.join(try add(), replacing: false, now: Self.now)
        let text = try text(ulm.folder.configuration)
        #expect(text.hasPrefix("# mine\n"))
        #expect(text.contains("patience: 3s\n"))
    }

    @Test func `the permissions for another server are those of the generated one`() throws {
        try initialize()
        let (text, advice) = try hq.permissions(of: "ulm")
        #expect(
            advice == "No site 'ulm' is admitted below 'hq'; it has no sites below. "
                + "'cascade-site add ulm PATH' admits it.")
        for subject in [
            "cascade.shops.up.hq.ulm.>", "cascade.shops.down.ulm.hq.>", "cascade.shops.up.hq.>",
            "cascade.shops.down.*.hq.>",
        ] {
            #expect(text.contains("[\"\(subject)\"]") && text.contains("'\(subject)'"))
        }
        _ = try add()
        #expect(try hq.permissions(of: "ulm") == (text, nil))
    }
}
