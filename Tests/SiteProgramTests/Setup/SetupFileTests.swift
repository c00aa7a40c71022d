// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeTestSupport
import CascadeWire
import FoundationEssentials
import NATS
import Testing

@testable import cascade_site

/// The setup of a site whose administrator has written its file before.
@Suite struct SetupFileTests {
    private static let address = ServerAddress(host: "hq.example")

    private let directory: TemporaryDirectory
    private let site: SiteSetup

    init() throws {
        directory = try TemporaryDirectory()
        site = SiteSetup(folder: SetupFolder(configuration: "\(directory.path)/site.yaml"))
    }

    private func initialize(_ name: SiteName = "hq") throws {
        try site.initialize(
            name: name, realm: nil, address: Self.address, interface: "127.0.0.1")
    }

    @Test(arguments: ["# patience: 5s\n", "patience: 9s\nrealm: shops\n", "up:\n  - Order*\n"])
    func `init gives a file without a name its name`(text: String) throws {
        try directory.write("site.yaml", text.utf8)
        try initialize()
        let (configuration, _) = try #require(try site.present())
        #expect(configuration.name == "hq" && configuration.server != nil)
        #expect(configuration.realm == (text.contains("shops") ? "shops" : "main"))
        let firstLine = text.prefix { $0 != "\n" }
        #expect(try SetupFolder.text(of: site.folder.configuration)?.hasPrefix(firstLine) == true)
    }

    /// An invitation for some days from now.
    private static func invitation(days: Int) -> Invitation {
        let key = UserKey.random()
        return Invitation(
            trust: "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", realm: "shops",
            parent: "hq", site: "ulm", mount: "/shop/ulm", server: address,
            publicKey: key.publicKey, key: key, expiry: Timestamp.now.advanced(byDays: days))
    }

    @Test func `join refuses an expired invitation, and names both times`() throws {
        let file = try directory.write("ulm.invitation", Self.invitation(days: -1).text.utf8)
        let program = URL(filePath: CommandLine.arguments[0])
            .deletingLastPathComponent().appending(path: "cascade-site").path
        let command = "\(program) join \(file) --config \(site.folder.configuration) 2>&1"
        let result = try ProgramResult(running: ["sh", "-c", command])
        #expect(result.status == 65)
        let today = Timestamp.now.description.prefix(10)
        #expect(result.output.contains("the invitation expired at "), "\(result.output)")
        #expect(result.output.contains("and it is \(today)"), "\(result.output)")
        #expect(try site.present() == nil)
    }

    @Test func `join gives a file without a name its name`() throws {
        try directory.write("site.yaml", "patience: 9s\n".utf8)
        try site.join(Self.invitation(days: 1), replacing: false, now: .now)
        let (configuration, _) = try #require(try site.present())
        #expect(configuration.name == "ulm" && configuration.patience == .seconds(9))
    }

    @Test func `init names the faults of a file, and leaves it as it is`() throws {
        let text = "patience: 9\nparent: {name: hq}\n"
        try directory.write("site.yaml", text.utf8)
        let stop = #expect(throws: Stop.self) { try initialize() }
        #expect(stop?.description.contains("site.yaml:1:") == true, "\(stop as Any)")
        #expect(try SetupFolder.text(of: site.folder.configuration) == text)
    }
}
