// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeService
import CascadeSite
import CascadeTestSupport
import CascadeWire
import NATS
import Testing

@testable import cascade_site

@Suite struct ConfigurationTests {
    private static let full = """
        # A site in the middle.
        name: ulm
        realm: shops
        bus: ipc:///run/ulm/bus.sock
        parent:
          name: hq
          server: hq.example:7223
          key: /etc/cascade/site.key
          trust: /etc/cascade/hq.pem
        server:
          listen: 0.0.0.0:7222
          publicAddress: ulm.example
          key: /etc/cascade/gate.key
          trust: /etc/cascade/ulm.pem
        children: {till-1: /shop/till-1, till-2: /shop/till-2}
        patience: 3s
        up: ["Order*", PaperJam]
        down: []
        inspect: none
        metricsSocket: /run/cascade-site/metrics.sock

        """

    private func faults(_ text: String) -> [String] {
        do throws(SiteConfigurationError) {
            _ = try SiteConfiguration(text: text, file: "site.yaml")
            return []
        } catch {
            return error.faults.map(\.description)
        }
    }

    @Test func `A file sets each setting`() throws {
        let configuration = try SiteConfiguration(text: Self.full, file: "site.yaml")
        var expected = SiteConfiguration(name: "ulm", bus: "ipc:///run/ulm/bus.sock")
        expected.realm = "shops"
        expected.parent = SiteParent(
            name: "hq",
            way: .server(
                SiteServerAccess(
                    address: ServerAddress(host: "hq.example", port: 7_223),
                    key: "/etc/cascade/site.key", trust: "/etc/cascade/hq.pem")))
        expected.server = SiteServer(
            access: SiteServerAccess(
                address: ServerAddress(host: "localhost", port: 7_222),
                key: "/etc/cascade/gate.key", trust: "/etc/cascade/ulm.pem"),
            listen: ServerAddress(host: "0.0.0.0", port: 7_222),
            publicAddress: ServerAddress(host: "ulm.example"))
        expected.children = ["till-1": "/shop/till-1", "till-2": "/shop/till-2"]
        expected.patience = .seconds(3)
        expected.up = .matching([Glob("Order*"), Glob("PaperJam")])
        expected.down = .matching([])
        expected.inspection = .none
        expected.metricsSocket = "/run/cascade-site/metrics.sock"
        #expect(configuration == expected)
    }

    @Test func `A root site needs only its name`() throws {
        let configuration = try SiteConfiguration(text: "name: hq\n", file: "site.yaml")
        #expect(
            configuration == SiteConfiguration(name: "hq", bus: "ipc:///run/cascade/bus.sock"))
    }

    @Test func `A parent on a bus needs a mount`() throws {
        let text = "name: ulm\nparent: {name: hq, bus: \"ipc:///run/hq.sock\", mount: /shop/ulm}\n"
        let configuration = try SiteConfiguration(text: text, file: "site.yaml")
        #expect(
            configuration.parent
                == SiteParent(
                    name: "hq",
                    way: .bus(
                        endpoint: "ipc:///run/hq.sock", mount: "/shop/ulm", key: nil, trust: nil)))
        #expect(
            faults("name: ulm\nparent: {name: hq, bus: \"ipc:///run/hq.sock\"}\n") == [
                "site.yaml: 'parent.mount' is missing: the place of this site: without a server, no gate "
                    + "tells it"
            ])
        #expect(
            faults(
                "name: ulm\nparent:\n  name: hq\n  bus: ipc:///b\n  mount: /m\n  server: h\n") == [
                    "site.yaml:6:3: a parent has 'server' or 'bus', not both"
                ])
        #expect(
            faults(
                "name: ulm\nparent:\n  name: hq\n  server: h\n  trust: t\n  mount: /m\n") == [
                    "site.yaml:6:3: a parent with 'server' has no 'mount': the parent's gate tells it"
                ])
    }

    @Test func `A fault names its line and what to write`() {
        #expect(
            faults("name: ul m\n") == [
                "site.yaml:1:1: the name 'ul m' of a site or realm is not valid: 1 to 63 letters, "
                    + "digits, _ and - are allowed, not beginning with -"
            ])
        #expect(
            faults("name: ulm\npatiense: 5s\nparent: hq\n") == [
                "site.yaml:2:1: unknown setting 'patiense'; did you mean 'patience'?",
                "site.yaml:3:1: parent is a section with name, server, key, trust; or name, bus, mount, "
                    + "key, trust",
            ])
        #expect(
            faults("name: ulm\npatience: 0s\nbus: /run/bus.sock\n") == [
                "site.yaml:2:1: '0s' is not a value of patience; it is a time from 3s to 10m",
                "site.yaml:3:1: '/run/bus.sock' is not an endpoint; write ipc:///PATH or tcp://HOST:PORT",
            ])
        #expect(
            faults("name: ulm\nparent:\n  name: hq\n  server: hq.example\n") == [
                "site.yaml: 'parent.trust' is missing: the file of the certificates that are trusted; "
                    + "'none' connects without TLS"
            ])
        #expect(
            faults("realm: r\n") == ["site.yaml: 'name' is missing: the name of this site"])
    }

    @Test func `A glob that matches no name is a fault`() {
        let rest = "a glob has letters, digits, _ . : - and the wildcards * and ?"
        #expect(
            faults("name: ulm\nup: [\"Order*\", \"Pa[id\"]\ndown: \"Menu, News\"\n") == [
                "site.yaml:2:1: 'Pa[id' in up matches no name: \(rest)",
                "site.yaml:3:1: 'Menu, News' in down matches no name: \(rest)",
            ])
    }

    @Test func `Mounts of children are checked`() {
        let head = "name: hq\nserver: {trust: none}\nchildren:\n"
        #expect(
            faults(head + "  ulm: /\n") == [
                "site.yaml:4:3: children.ulm is /; a mount is a node below the root of the bus"
            ])
        #expect(
            faults(head + "  hq: /shop\n") == [
                "site.yaml: the child 'hq' has the name of this site; each site of a realm has its own "
                    + "name"
            ])
        #expect(
            faults("name: hq\nchildren: {ulm: /shop/ulm}\n") == [
                "site.yaml: children need a server; 'cascade-site init' sets one up"
            ])
    }

    @Test(
        arguments: [
            ("hq", "hq", 7_222), ("hq.example:1", "hq.example", 1), ("[::1]:9", "::1", 9),
            ("::1", "::1", 7_222), ("[::1]", "::1", 7_222), ("fe80::1%lo", "fe80::1%lo", 7_222),
        ] as [(String, String, UInt16)])
    func `An address has a host and a port`(_ text: String, _ host: String, _ port: UInt16) {
        #expect(ServerAddress(text) == ServerAddress(host: host, port: port))
    }

    @Test(
        arguments: [
            "", ":1", "hq:", "hq:0", "hq:65536", "hq:x", "h q", "[::1]9", "nats://hq", ":::",
            "a:b:c",
        ])
    func `A malformed address is refused`(_ text: String) {
        #expect(ServerAddress(text) == nil)
    }

    @Test func `A parent that is the site itself, or a child of it, is a fault`() {
        func faults(parent: String) -> [String] {
            self.faults(
                "name: hq\nparent: {name: \(parent), server: a.example, trust: none}\n"
                    + "server: {trust: none}\nchildren: {ulm: /shop/ulm}\n")
        }
        #expect(faults(parent: "root") == [])
        #expect(faults(parent: "hq") == ["site.yaml: the parent has the name of this site"])
        #expect(
            faults(parent: "ulm") == [
                "site.yaml: 'ulm' is both the parent and a child of this site"
            ])
    }

    @Test func `Changing a setting keeps the rest of the file`() {
        var text = SiteConfigurationText(Self.full)
        text.set("patience", to: "7s")
        text.set("children.till-2", to: nil)
        text.set("children.till-3", to: "/shop/till-3")
        text.set("parent.server", to: "hq2.example:1")
        let expected = Self.full
            .replacing("patience: 3s\n", with: "")
            .replacing("parent:\n", with: "patience: 7s\nparent:\n")
            .replacing(
                "children: {till-1: /shop/till-1, till-2: /shop/till-2}\n",
                with: "children:\n  till-1: /shop/till-1\n  till-3: /shop/till-3\n"
            )
            .replacing("  server: hq.example:7223\n", with: "")
            .replacing("hq.pem\n", with: "hq.pem\n  server: \"hq2.example:1\"\n")
        #expect(text.text == expected.replacing("\"hq2.example:1\"", with: "hq2.example:1"))
    }

    @Test func `A new file and its sections are written`() throws {
        var text = SiteConfigurationText("")
        text.set("parent.name", to: "hq")
        text.set("children.ulm", to: "/shop/ulm")
        text.set("name", to: "mid")
        #expect(
            text.text == "name: mid\nparent:\n  name: hq\nchildren:\n  ulm: /shop/ulm\n")
        text.set("children.ulm", to: nil)
        text.removeSection("parent")
        #expect(text.text == "name: mid\n")
    }

    @Test func `the configured key is read if the service unit has only its placeholder`() throws {
        let folder = try TemporaryDirectory()
        func path() throws -> String {
            try SiteSecret.site.path(configured: "/keys/site.nk", credentials: folder.path)
        }
        #expect(try path() == "/keys/site.nk")
        try folder.write("site-key", "none".utf8)
        #expect(try path() == "/keys/site.nk")
        try folder.write("site-key", "SU…\n".utf8)
        #expect(try path() == "\(folder.path)/site-key")
    }
}
