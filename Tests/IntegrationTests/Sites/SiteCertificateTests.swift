// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Foundation
import Glibc
import Testing

extension Faults {
    /// Servers whose certificate is not valid at the time of the child's machine.
    @FaultThread
    @Suite(.enabled(if: SitePair.isBuilt && SiteServer.isInstalled)) struct SiteCertificateTests {
        @Test(arguments: [(-2, -1), (1, 2)])
        func `a certificate of yesterday or tomorrow is refused with both times`(
            from: Int, to: Int
        ) throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let wrong = try DatedCertificate(in: directory, days: (from, to))
            let right = try DatedCertificate(in: directory, days: (-1, 1))
            let server = try SiteServer(
                in: directory, SiteServer.Settings(certificate: (wrong.file, wrong.key)))
            try FaultBus.open { ulm in
                let local = try LocalEvents(on: ulm)
                let trust = directory + "/trust.pem"
                try FileManager.default.copyItem(atPath: wrong.file, toPath: trust)
                try SitePair.write(
                    """
                    name: ulm
                    bus: "\(ulm.endpoint)"
                    parent: {name: hq, server: "\(server.address)", key: "\(directory)/ulm.key", trust: "\(trust)"}

                    """, to: ulm.directory)
                let site = try SitePair.start(ulm.directory)
                let line = try #require(
                    try site.diagnostics.line(containing: "cannot stand below 'hq'"))
                for words in [
                    "\(trust) is valid from \(wrong.notBefore.description.prefix(19))",
                    " to \(wrong.notAfter.description.prefix(19))",
                    "the time of this machine is \(Date().ISO8601Format().prefix(10))",
                ] {
                    #expect(line.contains(words), "'\(words)' in: \(line)")
                }
                let check = try SpawnedProgram(
                    "cascade-site", ["check", "--config", ulm.directory + "/site.yaml"], bus: ""
                ).end()
                #expect(check.exitCode == 3)
                #expect(check.output.text.contains("TLS         failed"), "\(check.output.text)")
                #expect(check.output.text.contains("is valid from"), "\(check.output.text)")

                // With a certificate of today the next step is reached.
                try server.kill()
                server.settings.certificate = (right.file, right.key)
                try server.start()
                try FileManager.default.removeItem(atPath: trust)
                try FileManager.default.copyItem(atPath: right.file, toPath: trust)
                site.signal(SIGHUP)
                #expect(try site.diagnostics.line(containing: "no gate listens") != nil)
                site.signal(SIGTERM)
                #expect(try site.end().exitCode == 0)
                local.end()
            }
        }
    }
}
