// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    /// The configuration of a real daemon.
    @FaultThread
    @Suite struct ConfigurationTests {
        @Test func `flags override variables, variables drop-ins, and drop-ins the main file`()
            throws
        {
            let program = try DaemonProgram()
            defer { program.remove() }
            try program.write(
                "config/cascade/cascaded.yaml",
                "grace: 1s\nsettle: 1s\ndeadline: 1s\nbeat: 1s\nlimits: {nodes: 1}")
            try program.write(
                "config/cascade/cascaded.d/10.yaml", "settle: 2s\ndeadline: 2s\nbeat: 2s")
            let settings = try program.settings(
                ["--user", "--beat", "4s", "--limit", "nodes=4"],
                variables: [
                    "XDG_CONFIG_HOME=\(program.directory)/config",
                    "XDG_RUNTIME_DIR=\(program.directory)",
                    "XDG_STATE_HOME=\(program.directory)/state", "CASCADE_DEADLINE=3s",
                    "CASCADE_BEAT=3s", "CASCADE_LIMITS_NODES=3", "CASCADE_LIMITS_CAUSES=3",
                ])
            #expect(settings["grace"] == "1s")
            #expect(settings["settle"] == "2s")
            #expect(settings["deadline"] == "3s")
            #expect(settings["beat"] == "4s")
            #expect(settings["nodes"] == "4")
            #expect(settings["causes"] == "3")
            #expect(settings["stop"] == "5s")
            #expect(settings["listen"] == "[ipc://\(program.directory)/cascade/bus.sock]")
            #expect(settings["stateDirectory"] == "\(program.directory)/state/cascade")
        }

        @Test func `all faults of a configuration are reported with their places and exit with 78`()
            throws
        {
            let program = try DaemonProgram()
            defer { program.remove() }
            let file = try program.write("bad.yaml", "grace: 1s\nlimits:\n  nodez: 5\nbeat: soon\n")
            for arguments in [["--check-config"], [], ["--print-config"]] {
                let ending = try program.run(["--config", file] + arguments)
                #expect(ending.exitCode == 78)
                let lines = ending.diagnostics.text.split(separator: "\n")
                #expect(lines.count == 2)
                let words = "unknown setting 'limits.nodez'; did you mean 'limits.nodes'?"
                #expect(lines.first.map(String.init) == "\(file):3:3: \(words)")
                #expect(lines.last?.hasPrefix("\(file):4:1: 'soon' is not a value of beat") == true)
                #expect(ending.output.text.isEmpty)
            }
        }

        @Test func `--check-config checks rule files and prints nothing for sound ones`() throws {
            let program = try DaemonProgram()
            defer { program.remove() }
            let rules = try program.write("a.rules", "details <=\n")
            let file = try program.write("c.yaml", "rules: [\(rules)]\n")
            let bad = try program.run(["--config", file, "--check-config"])
            #expect(bad.exitCode == 78)
            #expect(bad.diagnostics.text.hasPrefix("\(rules):1:"), "\(bad.diagnostics.text)")
            try program.write("a.rules", "details <= 1\n")
            let good = try program.run(["--config", file, "--check-config"])
            #expect(good.exitCode == 0)
            #expect(good.diagnostics.text.isEmpty && good.output.text.isEmpty)
        }

        @Test func `a faulty flag is a usage error with the setting's message`() throws {
            let program = try DaemonProgram()
            defer { program.remove() }
            for (arguments, words) in [
                (["--grace", "10"], "--grace: '10' is not a value of grace; it is a time like"),
                (["--limit", "node=4"], "did you mean 'limits.nodes'?"),
                (["--limit", "nodes"], "limits.nodes has no value"),
                (["--log-level", "loud"], "it is one of trace, debug"),
            ] {
                let ending = try program.run(arguments)
                #expect(ending.exitCode == 64)
                #expect(ending.diagnostics.text.contains(words), "\(ending.diagnostics.text)")
            }
        }

        @Test func `the printed default configuration is valid`() throws {
            let program = try DaemonProgram()
            defer { program.remove() }
            let printed = try program.run(["--print-default-config"])
            let file = try program.write("default.yaml", printed.output.text)
            #expect(try program.run(["--config", file, "--check-config"]).exitCode == 0)
            #expect(printed.output.text.contains("\n#  nodesPerSession: 1024\n"))
            // Its settings are comments. Without the marks they say what applies anyway.
            let lines = printed.output.text.split(separator: "\n").map { line in
                let isSetting = line.firstMatch(of: /^#([A-Za-z]|  )/) != nil
                let hasValue = !line.hasSuffix(":") || ["#log:", "#limits:"].contains(line)
                return isSetting && hasValue ? line.dropFirst() : line
            }
            let explicit = try program.write("explicit.yaml", lines.joined(separator: "\n"))
            let settings = try program.settings(["--config", explicit])
            #expect(settings.count > 60)
            #expect(try program.settings(["--config", file]) == settings)
        }

        @Test func `the help of a flag is that of its setting`() throws {
            let program = try DaemonProgram()
            defer { program.remove() }
            let help = try program.run(["--help"]).output.text
                .split(whereSeparator: \.isWhitespace).joined(separator: " ")
            for words in [
                "--grace <time> Time that the path of a lost node is kept vacant. (default: 10s)",
                "--metrics-socket <path>", "--limit <name=number>", "nodesPerSession (1024)",
            ] {
                #expect(help.contains(words), "\(words)")
            }
        }

        @Test func `a reload applies all changes or none and names those that need a restart`()
            throws
        {
            let program = try DaemonProgram()
            defer { program.remove() }
            let file = try program.write("c.yaml", "limits: {nodes: 100}\n")
            try FaultBus.open(["--config", file]) { bus in
                let log = bus.daemon.diagnostics
                try program.write("c.yaml", "limits: {nodes: 2}\nlog: {level: debug}\ngrace: bad\n")
                bus.daemon.signal(SIGHUP)
                let refusal = try log.line(containing: "reload refused")
                #expect(refusal?.contains("\(file):3:1: 'bad'") == true, "\(refusal ?? "")")
                // Neither the limit of nodes nor any other setting of the faulty file applies.
                let nodes = try ["/a", "/b", "/c"].map { try bus.attach($0, ["--handle", "X"]) }

                try program.write("c.yaml", "limits: {nodes: 5}\nbeat: 5s\n")
                #expect(try bus.run(["reload"]).exitCode == 0)
                let restart = try log.line(containing: "a restart applies it")
                #expect(restart?.contains("beat has changed") == true)
                let news = try log.line(containing: "reloaded:")
                #expect(news?.contains("limits.nodes is 5") == true, "\(news ?? "")")
                let refused = try bus.run(["attach", "/d/e/f", "--handle", "X"])
                #expect(refused.exitCode == 75)
                #expect(refused.diagnostics.text.contains("limit nodes"))
                for node in nodes {
                    node.signal(SIGTERM)
                    #expect(try node.end().exitCode == 0)
                }
            }
        }
    }
}
