// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeSite
import NATS

/// Makes this site one that others can stand below.
struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Set up this site, so that other sites can stand below it.",
        discussion: """
            Creates the key of this site's gate, a certificate for the address, and the configuration of a \
            NATS server of its own, and enables cascade-nats.service and cascade-site.service. That server \
            admits no client without a key.

            Example: cascade-site init hq --address hq.example
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "Name of this site, unique in its realm.", transform: ArgumentValue.name)
    var name: SiteName

    @Option(
        help: ArgumentHelp(
            "Address at which children reach the server; the port is 7222 by default.",
            valueName: "host[:port]"), transform: ArgumentValue.address)
    var address: ServerAddress

    @Option(
        help: ArgumentHelp(
            "Realm: the name that all sites of one tree share. (default: main)", valueName: "name"),
        transform: ArgumentValue.name)
    var realm: SiteName?

    @Option(help: ArgumentHelp("Interface on which the server listens.", valueName: "address"))
    var listen = "0.0.0.0"

    func run() throws {
        guard let interface = ServerAddress(listen)?.host, interface == listen else {
            throw Stop(.usage, "'\(listen)' is not the address of an interface, as in 0.0.0.0")
        }
        guard ProgramPath.find(ProgramPath.server) != nil else {
            throw Stop.missingServer
        }
        let folder = options.folder
        try SiteSetup(folder: folder).initialize(
            name: name, realm: realm, address: address, interface: interface)
        try Services(folder: folder).enable([Services.server, Services.site])
        print(
            """
            The site '\(name)' is ready for sites below it, at \(address).
            Admit one: cascade-site add NAME PATH | ssh HOST cascade-site join -
            """)
    }
}
