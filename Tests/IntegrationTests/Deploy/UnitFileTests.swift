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

    @Test func `systemd-analyze finds a planted fault`() throws {
        let units = try UnitCopies(of: "deploy/systemd")
        let path = try units.write(
            "planted.service", "[Service]\nExecStart=/bin/true\nExecStrat=/\n")
        #expect(try Analyzer.run(["verify", "--man=no", path]).output.contains("ExecStrat"))
    }

    @Test func `the exposure of the daemon's unit is at most 1.0`() throws {
        let units = try UnitCopies(of: "deploy/systemd")
        let path = try #require(units.paths.first { $0.hasSuffix("/cascaded.service") })
        let result = try Analyzer.run(
            ["security", "--offline=true", "--no-pager", "--threshold=10", path])
        #expect(result.status == 0, "\(result.output.suffix(100))")
    }
}
