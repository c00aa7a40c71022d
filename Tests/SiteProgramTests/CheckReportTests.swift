// SPDX-License-Identifier: Apache-2.0

import NATS
import Testing

@testable import cascade_site

@Suite struct CheckReportTests {
    @Test func `the steps before a failure have succeeded`() {
        var report = CheckReport()
        report.failed(.tls, "the certificate has expired")
        #expect(
            report.lines == [
                "name        ok      the name of the server has an address",
                "TCP         ok      the server accepts connections",
                "TLS         failed  the certificate has expired",
            ])
        #expect(report.failure?.step == .tls)
    }

    @Test func `a way without a server has no steps of one`() {
        var report = CheckReport()
        report.skipped = [.name, .tcp, .tls, .key, .permission, .gate]
        report.passed(.bus, "hq answers")
        report.passed(.mount)
        #expect(
            report.lines == [
                "bus         ok      hq answers",
                "policy      ok      the policy of the parent's bus lets this site in",
                "mount       ok      this site can stand at its place",
            ])
        #expect(report.failure == nil)
    }

    @Test func `a file of this machine that cannot be used fails before the server is dialled`() {
        let folder = "/nonexistent/cascade"
        let address = ServerAddress(host: "localhost", port: 1)
        func lines(trust: String?) -> [String] {
            var report = CheckReport()
            let access = SiteServerAccess(address: address, key: "\(folder)/k", trust: trust)
            ServerCheck(access: access, secret: .site, pattern: "a.>").run(into: &report)
            return report.lines
        }
        #expect(
            lines(trust: nil) == [
                "key         failed  cannot read the key in '\(folder)/k': No such file or directory"
            ])
        #expect(
            lines(trust: "\(folder)/t") == [
                "TLS         failed  cannot read the certificates in '\(folder)/t': No such file or "
                    + "directory"
            ])
    }
}
