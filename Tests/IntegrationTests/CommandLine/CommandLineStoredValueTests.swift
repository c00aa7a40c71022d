// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension CommandLineContract {
    /// Values set from outside, with a state directory.
    @FaultThread
    @Suite struct CommandLineStoredValueTests {
        @Test func `Values set from outside survive a daemon that is killed`() throws {
            let state = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(state) }
            try FaultBus.open(["--state-directory", state + "/state"]) { bus in
                try bus.run(["env", "set", "mode=\"dark\"", "size=12", "--at", "/witness"])
                    .expectSuccess()
                try bus.run(["env", "unset", "size", "--at", "/witness"]).expectSuccess()
                let explained = try bus.run(
                    ["env", "explain", "mode", "--at", "/witness", "--json"]
                ).document()
                try bus.killDaemon()
                try bus.startDaemon()
                try bus.wait("/witness", "live")
                let value = try bus.run(["env", "get", "mode", "--at", "/witness", "--json"])
                #expect(try value.document()["value"].string == "dark")
                #expect(try bus.run(["env", "get", "size", "--at", "/witness"]).exitCode == 4)
                let again = try bus.run(
                    ["env", "explain", "mode", "--at", "/witness", "--json"]
                ).document()
                // The daemons read their clocks at different times: the seconds are compared.
                let since = explained["candidates"][0]["since"].string?.prefix(19)
                #expect(since?.count == 19)
                #expect(again["candidates"][0]["since"].string?.prefix(19) == since)
                var status = stat()
                #expect(stat(state + "/state/values", &status) == 0)
                #expect(status.st_mode & 0o777 == 0o600)
            }
        }

        @Test func `Values that could not be stored are stored as soon as they can be`() throws {
            let state = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(state) }
            try FaultBus.open(["--state-directory", state + "/state"]) { bus in
                // The daemon writes a new file of this name before it replaces the old one.
                let obstacle = state + "/state/values.new"
                #expect(mkdir(obstacle, 0o700) == 0)
                try bus.run(["env", "set", "lampBrightness=1"]).expectSuccess()
                let line = try bus.daemon.diagnostics.line(containing: "cannot store the values")
                #expect(line?.contains("File exists") == true)
                #expect(rmdir(obstacle) == 0)
                try Patience.until("the value is stored") {
                    let stored = FileManager.default.contents(atPath: state + "/state/values")
                    return stored?.range(of: Data("lampBrightness".utf8)) != nil
                }
                try bus.killDaemon()
                try bus.startDaemon()
                #expect(try bus.run(["env", "get", "lampBrightness"]).exitCode == 0)
            }
        }

        @Test func `A damaged file of values is reported, and the daemon serves`() throws {
            let state = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(state) }
            let folder = state + "/state"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try "damaged".write(toFile: folder + "/values", atomically: true, encoding: .utf8)
            try FaultBus.open(["--state-directory", folder]) { bus in
                #expect(bus.daemon.diagnostics.text.contains("the values in \(folder)/values"))
                try bus.run(["env", "set", "k=1"]).expectSuccess()
            }
        }
    }
}
