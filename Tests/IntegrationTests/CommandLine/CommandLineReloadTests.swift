// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension CommandLineContract {
    /// The errors of a reload, and the files they name.
    @FaultThread
    @Suite struct CommandLineReloadTests {
        @Test func `the error, log and monitor event of a refused reload name the faulty file`()
            throws
        {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let names = ["cascaded.yaml", "a.policy", "a.rules", "keys"]
            let files = names.map { "\(directory)/\($0)" }
            let key = "\(directory)/bus.key"
            let made = try SpawnedProgram("cascadectl", ["keygen", key], bus: "").end()
            made.expectSuccess()
            let right = [
                "grace: 5s\n", "allow all / to everyone\n", "k <= 1\n", made.output.text,
            ]
            for (file, text) in zip(files, right) {
                try Self.write(text, file)
            }
            let options = [
                "--config", files[0], "--policy", files[1], "--rules", files[2],
                "--curve-key", key, "--authorized-keys", files[3],
            ]
            try FaultBus.open(options) { bus in
                let monitor = try bus.start(["monitor", "--kind", "env,admin", "--json"])
                try Patience.until("it watches") { try bus.counters()["sessions"] ?? 0 >= 3 }
                let faults = [
                    (
                        "grace: soon\n", "configurationRefused",
                        ":1:1: 'soon' is not a value of grace"
                    ),
                    ("allow\n", "policyRefused", "a.policy:1:6"),
                    ("k <=\n", "rulesRefused", "a.rules:1:5"),
                    ("short worker\n", "keysRefused", "keys"),
                ]
                for (place, fault) in faults.enumerated() {
                    let (text, what, words) = fault
                    try Self.write(text, files[place])
                    let ending = try bus.run(["reload"])
                    #expect(ending.exitCode == 78, "\(what)")
                    #expect(ending.diagnostics.text.contains(words), "\(ending.diagnostics.text)")
                    let line = try #require(try monitor.output.line(containing: "Refused"))
                    #expect(try JSONText(line)["what"].string == what)
                    let said = try bus.daemon.diagnostics.line(containing: "reload refused: ")
                    #expect(said?.contains("the previous files stay in force") == true)
                    try Self.write(right[place], files[place])
                }
                try bus.run(["reload"]).expectSuccess()
            }
        }

        @Test func `a user from whom a path is hidden gets the error, or the place where it is`()
            throws
        {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let (policy, rules) = ("\(directory)/a.policy", "\(directory)/a.rules")
            let right = "allow all / to everyone\ndeny inspect /hidden to everyone\n"
            try Self.write(right, policy)
            try Self.write("k <= 1\n", rules)
            try FaultBus.open(["--policy", policy, "--rules", rules]) { bus in
                try Self.write("k <=\n", rules)
                let ending = try bus.run(["reload"])
                #expect(ending.exitCode == 78)
                #expect(ending.diagnostics.text.contains("a.rules:1:5"))
                try Self.write("k <= 1\n", rules)
                try Self.write(right + "allow\n", policy)
                let refused = try bus.run(["reload"])
                #expect(refused.exitCode == 78)
                #expect(refused.diagnostics.text.contains("the daemon's log"))
            }
        }

        private static func write(_ text: String, _ path: String) throws {
            try Data(text.utf8).write(to: URL(filePath: path))
            chmod(path, 0o600)
        }
    }
}
