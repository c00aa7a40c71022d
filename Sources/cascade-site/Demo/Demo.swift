// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// Runs two sites on this machine until it is interrupted.
struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run two sites on this machine, to look at them, until interrupted.",
        discussion: """
            Starts a NATS server, two buses and their sites in a folder of their own, prints their endpoints and \
            what to type next, and removes everything at the end.

            Example: cascade-site demo
            """)

    func run() throws {
        guard let server = ProgramPath.find(ProgramPath.server) else {
            throw Stop.missingServer
        }
        guard let daemon = ProgramPath.find("cascaded"), let site = ProgramPath.find("cascade-site")
        else {
            throw Stop(
                .unavailable,
                "cannot find the program cascaded, which serves a bus; install it: apt-get install cascade"
            )
        }
        StopSignals.catchAll()
        let temporary = try TemporaryFolder(prefix: "cascade-demo-")
        let folder = DemoFolder(path: temporary.path, port: try DemoFolder.freePort())
        try folder.setUp()
        var programs = DemoPrograms(log: "\(folder.path)/log")
        defer { programs.stop() }
        try programs.start(server, ["--config", folder.hq.setup.folder.server])
        for demoSite in folder.sites {
            try programs.start(daemon, demoSite.daemonArguments)
        }
        for demoSite in folder.sites {
            try programs.wait(forSocket: demoSite.socket)
            try programs.start(site, ["--config", demoSite.configuration])
        }
        try programs.wait(forWords: "linked to '\(folder.hq.name)'")
        StandardOutput.write(Self.advice(folder))
        try programs.waitForEnd()
    }

    static func advice(_ folder: DemoFolder) -> String {
        """
        Two sites run until you press Ctrl-C: 'hq', and 'ulm' below it at \(DemoFolder.mount).

          hq    \(folder.hq.endpoint)
          ulm   \(folder.ulm.endpoint)

        In a second terminal, a node above the border:

          export CASCADE_BUS=\(folder.hq.endpoint)
          cascadectl attach /shop --handle PaperJam

        In a third terminal, a node below it:

          export CASCADE_BUS=\(folder.ulm.endpoint)
          cascadectl attach /till --subscribe Menu

        In a fourth terminal, an event from below, a publication from above, and a value that is set above:

          export HQ=\(folder.hq.endpoint)
          export ULM=\(folder.ulm.endpoint)
          cascadectl --bus $HQ tree --sites
          cascadectl --bus $HQ env set mode='"busy"'
          cascadectl --bus $ULM trigger PaperJam --from /till
          cascadectl --bus $HQ publish Menu '"soup"' --at /shop
          cascadectl --bus $ULM env explain mode --at /till

        """
    }
}
