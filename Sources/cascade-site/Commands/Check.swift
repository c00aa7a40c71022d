// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeSite
import Glibc
import ZeroMQ

/// Greets this site's own bus, and dials the parent step by step.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Greet this site's bus, dial its server and parent, and name what fails.",
        discussion: """
            The steps to the parent are name, TCP, TLS (with the clock), key, permission, gate, bus, policy and \
            mount; to a parent's bus that this machine reaches itself, the last three. A link that is up is not \
            disturbed. The exit status is 0 if every step succeeds, and 3 if one fails.
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let configuration = try options.read()
        let (isServed, siteProcess) = try Self.showBus(of: configuration)
        var isSound = isServed
        if let server = configuration.server {
            StandardOutput.write("the server of '\(configuration.name)', \(server.access.address)")
            let subjects = LinkSubjects(
                realm: configuration.realm, parent: configuration.name)
            var report = CheckReport()
            ServerCheck(access: server.access, secret: .gate, pattern: subjects.upPattern)
                .run(into: &report)
            isSound = Self.show(report) && isSound
        }
        if let parent = configuration.parent {
            StandardOutput.write("the parent '\(parent.name)'")
            let report = try Self.report(on: parent, of: configuration, siteProcess: siteProcess)
            isSound = Self.show(report) && isSound
        }
        if configuration.server == nil, configuration.parent == nil {
            StandardOutput.write(
                "the site '\(configuration.name)' has no parent and no server: nothing to dial")
        }
        // Threads of the NATS library may still run; destructors at exit would free what they use.
        _exit(isSound ? EXIT_SUCCESS : Stop.Status.negative.rawValue)
    }

    /// Greets the bus and shows the result. Returns whether the bus serves this site, and the process that holds
    /// its root.
    private static func showBus(
        of configuration: SiteConfiguration
    ) throws -> (isServed: Bool, siteProcess: UInt32?) {
        StandardOutput.write("the bus of '\(configuration.name)', \(configuration.bus)")
        var check = try BusCheck(
            configuration.bus, program: "cascade-site check", processID: UInt32(getpid()))
        let failure = try check.failure()
        let line = CheckReport.line(
            "bus", failure == nil ? "ok" : "failed", failure ?? "the daemon answers")
        StandardOutput.write("  \(line)")
        return (failure == nil, check.rootHolder)
    }

    private static func show(_ report: CheckReport) -> Bool {
        for line in report.lines {
            StandardOutput.write("  \(line)")
        }
        return report.failure == nil
    }

    private static func report(
        on parent: SiteParent, of configuration: SiteConfiguration, siteProcess: UInt32?
    ) throws -> CheckReport {
        var report = CheckReport()
        let link: any UpperLink
        let hasGate: Bool
        switch parent.way {
        case .server(let access):
            let subjects = LinkSubjects(realm: configuration.realm, parent: parent.name)
            ServerCheck(
                access: access, secret: .site, pattern: subjects.downPattern(of: configuration.name)
            ).run(into: &report)
            guard report.failure == nil else {
                return report
            }
            link = try configuration.link(to: parent, .ofCheck)
            hasGate = true
        case .bus:
            report.skipped = [.name, .tcp, .tls, .key, .permission, .gate]
            hasGate = false
            link = try configuration.link(to: parent, .ofCheck)
        }
        var check = MountCheck(
            configuration.name, over: link, hasGate: hasGate, siteProcess: siteProcess,
            program: "cascade-site check", processID: UInt32(getpid()))
        try check.run(into: &report)
        return report
    }
}
