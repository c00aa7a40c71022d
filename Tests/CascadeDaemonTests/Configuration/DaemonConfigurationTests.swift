// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeService
import CascadeTestSupport
import Glibc
import Testing

@testable import CascadeDaemon

/// The configuration that results from files, environment variables and flags.
@Suite struct DaemonConfigurationTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func write(_ name: String, _ text: String) throws {
        var folder = directory.path
        for component in name.split(separator: "/").dropLast() {
            folder += "/\(component)"
            mkdir(folder, 0o755)
        }
        try directory.write(name, text.utf8)
    }

    @Test(arguments: [
        "foo", "ipc://", "inproc://x", "udp://x:1", "tcp://0.0.0.0:5555", "tcp://*:1",
    ])
    func `an endpoint that a daemon cannot serve is a fault at its place`(endpoint: String) throws {
        let error = #expect(throws: ConfigurationError.self) {
            _ = try DaemonConfiguration(text: "listen: ['\(endpoint)']", file: "bus.yaml")
        }
        #expect(error?.faults.count == 1)
        #expect(
            error?.faults.first?.description.hasPrefix("bus.yaml:1:1: cannot serve '\(endpoint)'")
                == true)
        let flags = [PlacedSetting("listen", .scalar("foo"), .flag("--listen"))]
        #expect(DaemonConfiguration.faults(in: flags).count == 1)
        let open = "listen: ['tcp://0.0.0.0:5555']\n"
        _ = try DaemonConfiguration(text: open + "curveKey: /etc/key", file: "bus.yaml")
        _ = try DaemonConfiguration(text: open + "allowPlainTcp: true", file: "bus.yaml")
    }

    @Test func `a limit's former name is accepted, with the advice to rename it`() throws {
        let old = try DaemonConfiguration(
            text: "limits:\n  absentSessions: 7\n  happenings: 8", file: "old.yaml")
        #expect(old.options.limits.disconnectedSessions == 7)
        #expect(old.options.limits.monitorEvents == 8)
        #expect(
            old.advice.map(\.description) == [
                "old.yaml:2:3: limits.absentSessions is called limits.disconnectedSessions now; "
                    + "rename it",
                "old.yaml:3:3: limits.happenings is called limits.monitorEvents now; rename it",
            ])
        let sources = ConfigurationSources(
            folders: [], environment: ["CASCADE_LIMITS_SUSPECTS": "9"],
            flags: [PlacedSetting("limits.deathsPerEvent", .scalar("4"), .flag("--limit"))])
        let other = try DaemonConfiguration(reading: sources)
        #expect(other.options.limits.quarantined == 9)
        #expect(other.options.limits.crashesPerEvent == 4)
        #expect(other.advice.count == 2)
    }

    @Test(arguments: [
        "x\u{600}", "\u{301}x", "a\r\nb", "\u{1B}[2J", "\u{2028}", "\u{202E}", "#", "- a",
        "\"\\'", " ",
    ])
    func `special characters of values survive in the printed configuration`(text: String) throws {
        let said = try read(flags: [
            PlacedSetting("rules", .list([text, "", text]), .flag("--rules")),
            PlacedSetting("curveKey", .scalar(text), .variable("a\nb: c")),
        ])
        let shown = try DaemonConfiguration(text: said.text, file: "shown.yaml")
        #expect(shown.options.rules == [text, "", text])
        #expect(shown.options.curveKey == text)
    }

    private var folders: [String] {
        [directory.path + "/vendor", directory.path + "/admin"]
    }

    private func read(
        environment: [String: String] = [:], flags: [PlacedSetting] = []
    ) throws(ConfigurationError) -> DaemonConfiguration {
        try DaemonConfiguration(
            reading: ConfigurationSources(
                folders: folders, environment: environment, flags: flags))
    }

    private func faults(_ text: String) throws -> [String] {
        try write("admin/cascaded.yaml", text)
        do throws(ConfigurationError) {
            _ = try read()
            return []
        } catch {
            return error.faults.map(\.sentence)
        }
    }

    // MARK: - Precedence

    @Test func `each source overrides the sources before it`() throws {
        let keys = ["grace", "settle", "deadline", "beat", "reattach", "resume"]
        let texts = (0..<5).map { source in
            keys[source...].map { "\($0): \(source + 1)m\n" }.joined()
        }
        try write("vendor/cascaded.yaml", texts[0])
        try write("admin/cascaded.yaml", texts[1])
        try write("vendor/cascaded.d/50-b.yaml", texts[2])
        let flag = PlacedSetting("resume", .scalar("5m"), .flag("--resume"))
        let configuration = try read(
            environment: [
                "CASCADE_BEAT": "4m", "CASCADE_REATTACH": "4m", "CASCADE_RESUME": "4m",
                "CASCADE_BUS": "ipc:///elsewhere",
            ], flags: [flag])
        let options = configuration.options
        #expect(options.graceMilliseconds == 60_000)
        #expect(options.settleMilliseconds == 120_000)
        #expect(options.deadlineMilliseconds == 180_000)
        #expect(options.beatMilliseconds == 240_000)
        #expect(options.reattachMilliseconds == 240_000)
        #expect(options.resumeMilliseconds == 300_000)
        #expect(options.stopMilliseconds == DaemonOptions().stopMilliseconds)
        let origins = configuration.origins
        #expect(
            origins["grace"]
                == .file("\(folders[0])/cascaded.yaml", line: 1, column: 1))
        #expect(origins["settle"] == .file("\(folders[1])/cascaded.yaml", line: 1, column: 1))
        #expect(origins["beat"] == .variable("CASCADE_BEAT"))
        #expect(origins["resume"] == .flag("--resume"))
        #expect(origins["stop"] == nil)
    }

    @Test func `drop-ins and files that exist but cannot be read are faults`() throws {
        try write("admin/cascaded.yaml", "settle: 1s")
        let dropIns = folders[1] + "/cascaded.d"
        // Root may read every folder, but none may read a file as one, or follow a loop.
        #expect(symlink(dropIns, dropIns) == 0)
        let loop = #expect(throws: ConfigurationError.self) { try read() }
        #expect(loop?.description.contains("'\(dropIns)' cannot be read") == true)
        #expect(unlink(dropIns) == 0)
        try write("admin/cascaded.d", "settle: 2s")
        let file = #expect(throws: ConfigurationError.self) { try read() }
        #expect(file?.description.contains("'\(dropIns)' cannot be read") == true)
        #expect(unlink(dropIns) == 0)
        let main = folders[0] + "/cascaded.yaml"
        mkdir(folders[0], 0o755)
        #expect(symlink(main, main) == 0)
        let looped = #expect(throws: ConfigurationError.self) { try read() }
        #expect(looped?.description.contains(main) == true)
        #expect(unlink(main) == 0)
        #expect(try read().options.settleMilliseconds == 1_000)
    }

    @Test func `drop-ins are read in order of names, and an administrator's replaces a vendor's`()
        throws
    {
        try write("vendor/cascaded.d/10-a.yaml", "grace: 1s\nsettle: 1s")
        try write("vendor/cascaded.d/20-b.yaml", "grace: 2s")
        try write("admin/cascaded.d/10-a.yaml", "grace: 3s\nstop: 3s")
        try write("admin/cascaded.d/ignored.txt", "no setting")
        let options = try read().options
        #expect(options.graceMilliseconds == 2_000)
        #expect(options.stopMilliseconds == 3_000)
        #expect(options.settleMilliseconds == DaemonOptions().settleMilliseconds)
    }

    @Test func `a list in a variable has commas and replaces the list of a file`() throws {
        try write("admin/cascaded.yaml", "rules: [/a, /b]")
        #expect(try read().options.rules == ["/a", "/b"])
        let options = try read(environment: ["CASCADE_RULES": "/c, /d"]).options
        #expect(options.rules == ["/c", "/d"])
    }

    // MARK: - Faults

    @Test(arguments: [
        ("grase: 1s", "unknown setting 'grase'; did you mean 'grace'?"),
        ("limits:\n  node: 5", "unknown setting 'limits.node'; did you mean 'limits.nodes'?"),
        ("colour: red", "unknown setting 'colour'; --print-default-config lists all"),
        (
            "grace: 10",
            "'10' is not a value of grace; it is a time like 250ms, 5s, 2m or 1h, from 0s to 168h"
        ),
        ("limits: 5", "limits is a section with depth, pathBytes, nodes"),
        ("log: {level: loud}", "'loud' is not a value of log.level; it is one of trace, debug"),
        ("grace: [1s]", "grace is not a list; it is a time"),
        ("grace:", "grace has no value; it is a time"),
        ("listen: []", "listen is empty; it is a list of at least 1"),
        (
            "limits: {nodes: 0}",
            "'0' is not a value of limits.nodes; it is a whole number from 1 to"
        ),
        ("limits: {nodes: -1}", "'-1' is not a value of limits.nodes"),
        ("limits: {nodes: 99999999999}", "'99999999999' is not a value of limits.nodes"),
    ])
    func `a faulty setting is reported with its range`(text: String, sentence: String) throws {
        let found = try faults(text)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(sentence) == true, "\(found)")
    }

    @Test func `the faults of all sources are reported together`() throws {
        try write("vendor/cascaded.yaml", "grace: x")
        try write("admin/cascaded.d/1.yaml", "\n  settle: x")
        let flag = PlacedSetting("beat", .scalar("x"), .flag("--beat"))
        #expect {
            try read(
                environment: ["CASCADE_LOG_LEVEL": "x", "CASCADE_LIMITS_NODE": "1"], flags: [flag])
        } throws: { error in
            let lines = "\(error)".split(separator: "\n")
            return lines.count == 5 && lines[0].hasPrefix("\(folders[0])/cascaded.yaml:1:1: 'x'")
                && lines[1].hasPrefix("\(folders[1])/cascaded.d/1.yaml:2:3: ")
                && lines.contains(
                    "CASCADE_LIMITS_NODE: no setting has this name; did you mean "
                        + "'CASCADE_LIMITS_NODES'?")
                && lines[4].hasPrefix("--beat: 'x'")
        }
    }

    @Test func `an unreadable file is a fault`() throws {
        var sources = ConfigurationSources(file: directory.path + "/none.yaml")
        #expect {
            try DaemonConfiguration(reading: sources)
        } throws: {
            "\($0)" == "cannot read \(directory.path)/none.yaml: No such file or directory"
        }
        try directory.write("binary.yaml", Array("# ok\n# caf".utf8) + [0xE9])
        sources.file = directory.path + "/binary.yaml"
        #expect {
            try DaemonConfiguration(reading: sources)
        } throws: {
            "\($0)".contains("binary.yaml:2:6: this byte is not UTF-8")
        }
    }

    // MARK: - Printing

    @Test func `the printed configuration names its sources and reads back with the same values`()
        throws
    {
        try write(
            "admin/cascaded.yaml",
            "grace: 90s\nrules: ['/a b', \"/c#d\"]\nlimits: {nodes: 7}\nmetricsSocket: /m.sock")
        let configuration = try read()
        let text = configuration.text
        #expect(text.contains("grace: 90s  # \(folders[1])/cascaded.yaml:1:1\n"))
        #expect(text.contains("stop: 5s  # default\n"))
        try directory.write("again.yaml", text.utf8)
        let again = try DaemonConfiguration(
            reading: ConfigurationSources(file: directory.path + "/again.yaml"))
        #expect(configuration.changes(to: again).map(\.key) == [])
        #expect(again.options.rules == ["/a b", "/c#d"])
    }
}
