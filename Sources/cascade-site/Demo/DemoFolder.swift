// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSite
import CascadeWire
import Glibc
import NATS

/// Two sites on this machine, in a folder of their own: `hq`, and `ulm` below it at `/shop/ulm`.
struct DemoFolder {
    static let mount: NodePath = "/shop/ulm"

    let path: String
    let port: UInt16

    var hq: DemoSite { DemoSite(name: "hq", folder: "\(path)/hq") }
    var ulm: DemoSite { DemoSite(name: "ulm", folder: "\(path)/ulm") }
    var sites: [DemoSite] { [hq, ulm] }

    /// Sets both sites up as `init`, `add` and `join` do.
    func setUp() throws {
        for site in sites {
            for folder in [site.folder, "\(site.folder)/policy.d"] {
                guard mkdir(folder, 0o700) == 0 else {
                    throw Stop.file(folder, "create the folder", errno)
                }
            }
            try site.setBus()
        }
        let address = ServerAddress(host: "localhost", port: port)
        try hq.setup.initialize(
            name: hq.name, realm: "demo", address: address, interface: "127.0.0.1")
        let expiry = Timestamp.now.advanced(byDays: 1)
        let invitation = try hq.setup.add(ulm.name, at: Self.mount, publicKey: nil, expiry: expiry)
        try ulm.setup.join(invitation, replacing: false, now: .now)
    }

    /// Returns a port of this machine that no server uses now.
    static func freePort() throws(Stop) -> UInt16 {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0
                    ? getsockname(descriptor, pointer, &length) : -1
            }
        }
        guard descriptor >= 0, result == 0 else {
            throw Stop(.failure, "cannot find a free port: \(ErrorNumber(errno))")
        }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// One of the two sites of a demo.
struct DemoSite {
    let name: SiteName
    let folder: String

    var socket: String { "\(folder)/bus.sock" }
    var endpoint: String { "ipc://\(socket)" }
    var configuration: String { "\(folder)/site.yaml" }
    var setup: SiteSetup { SiteSetup(folder: SetupFolder(configuration: configuration)) }

    /// Names the site and its bus.
    fileprivate func setBus() throws {
        var text = SiteConfigurationText("")
        text.set("name", to: name.description)
        text.set("realm", to: "demo")
        text.set("bus", to: endpoint)
        var changes = FileChanges()
        changes.write(configuration, text.text)
        // Without files of its own, the daemon would read those of the system's bus.
        changes.write("\(folder)/cascaded.yaml", "")
        changes.write("\(folder)/policy.d/demo.policy", "allow all / to user \(getuid())\n")
        try changes.apply()
    }

    /// The command line of the bus.
    var daemonArguments: [String] {
        [
            "--listen", endpoint, "--config", "\(folder)/cascaded.yaml", "--policy",
            "\(folder)/policy.d",
        ]
    }
}
