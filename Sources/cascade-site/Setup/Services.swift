// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The systemd services that read the configuration of a site. Without systemd, a command prints what the
/// user has to start or signal.
struct Services {
    static let site = "cascade-site.service"
    static let server = "cascade-nats.service"
    static let daemon = "cascaded.service"

    private let folder: SetupFolder

    init(folder: SetupFolder) {
        self.folder = folder
    }

    /// Whether the services of this machine use the folder, and systemd runs them.
    private var areManaged: Bool {
        folder.isStandard && access("/run/systemd/system", F_OK) == 0
    }

    /// Starts services now and at each boot; those that run are started again, with their new secrets.
    func enable(_ services: [String]) throws(Stop) {
        guard areManaged else {
            let hasServer = services.contains(Self.server)
            advise(
                """
                No service was started. \(reason) Start each program yourself:
                \(hasServer ? "  nats-server --config \(folder.server)\n" : "")\
                  cascade-site --config \(folder.configuration)
                """)
            return
        }
        try control(["enable", "--quiet"] + services)
        try control(["try-reload-or-restart", Self.daemon])
        try control(["restart"] + services)
    }

    /// Makes the services that run read their files again.
    func reload() throws(Stop) {
        guard areManaged else {
            advise(
                """
                No service was reloaded. \(reason) Send SIGHUP to nats-server and cascade-site, and to the \
                cascaded whose policy is in '\(folder.path)/policy.d'.
                """)
            return
        }
        for service in [Self.server, Self.daemon, Self.site] {
            try control(["try-reload-or-restart", service])
        }
    }

    private var reason: String {
        folder.isStandard
            ? "systemd does not run on this machine."
            : "The services use \(SiteConfiguration.standardFile)."
    }

    private func advise(_ text: String) {
        StandardError.write(text)
    }

    private func control(_ arguments: [String]) throws(Stop) {
        let result: ProgramResult
        do throws(ProgramError) {
            result = try ProgramResult(running: ["systemctl"] + arguments)
        } catch {
            throw Stop(.unavailable, "\(error)")
        }
        guard result.status == 0 else {
            let service = arguments.last ?? ""
            throw Stop(
                .unavailable,
                "the files are written, but 'systemctl \(arguments.joined(separator: " "))' failed: "
                    + "\(result.lastLine); 'journalctl -u \(service)' says why")
        }
    }
}
