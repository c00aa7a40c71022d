// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Foundation
import Testing

/// The unit files, checked by systemd itself.
@Suite(.enabled(if: Analyzer.exists, "requires systemd-analyze"))
struct UnitFileTests {
    @Test func `systemd-analyze finds no fault in the system's units`() throws {
        let units = try UnitCopies(of: "deploy/systemd")
        let result = try Analyzer.run(["verify", "--man=no"] + units.paths)
        #expect(result.output == "")
        #expect(result.status == 0)
    }

    @Test func `systemd-analyze finds no fault in the units of a user's bus`() throws {
        let units = try UnitCopies(of: "deploy/systemd/user")
        let result = try Analyzer.run(
            ["--user", "verify", "--man=no"] + units.paths, runtimeDirectory: units.folder)
        #expect(result.output == "")
        #expect(result.status == 0)
    }

    @Test func `systemd-analyze finds no fault in the units of a site`() throws {
        let units = try UnitCopies(of: "deploy/systemd/site")
        #expect(units.paths.count == 2)
        let result = try Analyzer.run(["verify", "--man=no"] + units.paths)
        #expect(result.output == "")
        #expect(result.status == 0)
    }

    @Test func `systemd-analyze finds no fault in the units of the console`() throws {
        let units = try UnitCopies(of: "deploy/systemd/console")
        #expect(units.paths.count == 2)
        let result = try Analyzer.run(["verify", "--man=no"] + units.paths)
        #expect(result.output == "")
        #expect(result.status == 0)
        let own = try UnitCopies(of: "deploy/systemd/console/user")
        #expect(own.paths.count == 2)
        let ownResult = try Analyzer.run(
            ["--user", "verify", "--man=no"] + own.paths, runtimeDirectory: own.folder)
        #expect(ownResult.output == "")
        #expect(ownResult.status == 0)
    }

    @Test func `systemd-analyze finds a planted fault`() throws {
        let units = try UnitCopies(of: "deploy/systemd")
        let path = try units.write(
            "planted.service", "[Service]\nExecStart=/bin/true\nExecStrat=/\n")
        #expect(try Analyzer.run(["verify", "--man=no", path]).output.contains("ExecStrat"))
    }

    /// The thresholds are tenths.
    @Test(arguments: [
        ("deploy/systemd", "cascaded.service", 10),
        ("deploy/systemd/console", "cascade-console.service", 10),
        ("deploy/systemd/site", "cascade-site.service", 15),
        ("deploy/systemd/site", "cascade-nats.service", 20),
    ])
    func `the exposure of a unit is limited`(folder: String, unit: String, threshold: Int) throws {
        let units = try UnitCopies(of: folder)
        let path = try #require(units.paths.first { $0.hasSuffix("/\(unit)") })
        let result = try Analyzer.run(
            ["security", "--offline=true", "--no-pager", "--threshold=\(threshold)", path])
        #expect(result.status == 0, "\(result.output.suffix(100))")
    }
}
