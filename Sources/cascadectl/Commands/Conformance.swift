// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeJSON
import CascadeWire
import Glibc

/// Holds a client of the protocol against the conformance table.
struct Conformance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a client of the protocol.",
        usage: """
            cascadectl conformance [--role <role> ...] [--limit <time>] -- <command> ...
            cascadectl conformance --list
            """,
        discussion: """
            Plays the daemon's side of each conversation of the protocol, faults included, against \
            a conformance worker: a program that behaves as cascade-conformance(7) says. The \
            command is started anew for each row, with the endpoint in CASCADE_BUS, and ended \
            after it. No bus is needed. Exits with 0 if every row passes, and with 3 otherwise.

            Example: cascadectl conformance -- python3 -m cascade_bus.conformance
            """)

    @Option(
        name: .customLong("role"),
        help: ArgumentHelp(
            "Role whose rows are checked: responder, origin, subscriber or resuming; repeatable.",
            valueName: "role"))
    var roles: [ConformanceRole] = []

    @Option(
        help: ArgumentHelp(
            "Longest wait for a message or line of the client, such as 5s or 500ms.",
            valueName: "time"),
        transform: TimeSpan.argument)
    var limit = TimeSpan(milliseconds: 5_000)

    @Flag(help: "List of the rows, without a check.")
    var list = false

    @OptionGroup var output: OutputOptions

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("Command of the client, after '--'.", valueName: "command"))
    var command: [String] = []

    func validate() throws {
        guard list == command.isEmpty else {
            throw ValidationError(
                list
                    ? "--list checks nothing, so it takes no command"
                    : "name the client's command after '--', or use --list")
        }
        guard limit.milliseconds > 0 else {
            throw ValidationError("--limit must be longer than 0ms")
        }
    }

    func run() async throws {
        let items = ConformanceItem.all.filter { roles.isEmpty || roles.contains($0.role) }
        guard !list else {
            output.show(ConformanceList(items: items))
            return
        }
        let check = try ConformanceCheck(ProgramFile(command), limit: limit)
        defer { check.end() }
        let rows = ConformanceRows(items, isShown: !output.json, style: output.style)
        let results = try items.map { item in
            let result = ConformanceResult(item: item, deviation: try check.deviation(from: item))
            rows.show(result)
            return result
        }
        try output.conclude(ConformanceDocument(command: command, results: results))
    }
}

extension ConformanceRole: ExpressibleByArgument {}

/// The conversations with one client, each at a socket in a temporary directory.
struct ConformanceCheck {
    private let program: ProgramFile
    private let limit: TimeSpan
    private let directory: String
    private let commandGuard: CommandGuard

    init(_ program: ProgramFile, limit: TimeSpan) throws {
        self.program = program
        self.limit = limit
        commandGuard = try CommandGuard()
        // A client that has exited reads no more lines.
        signal(SIGPIPE, SIG_IGN)
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        directory = try TemporaryDirectory.make("cascade-conformance", in: parent)
    }

    /// Plays one conversation, and returns where the client deviates from it; `nil` if nowhere.
    func deviation(from item: ConformanceItem) throws -> Deviation? {
        let daemon = try PlayedDaemon(
            program, endpoint: "ipc://\(directory)/bus.sock", limit: limit,
            commandGuard: commandGuard)
        defer { daemon.client.end() }
        do {
            try item.play(daemon)
            return nil
        } catch let deviation as Deviation {
            return deviation
        }
    }

    /// Removes the directory.
    func end() {
        unlink("\(directory)/bus.sock")
        rmdir(directory)
    }
}

// MARK: - Documents

/// The rows of the table.
struct ConformanceList: Document {
    let items: [ConformanceItem]

    var json: JSONValue {
        .object(
            JSONValue.memberList([
                "schema": "cascade/v1/conformance",
                "items": .array(items.map { .object($0.members) }),
            ]))
    }

    func text(_ style: Style) -> String {
        var table = Table(["ROLE", "REQUIREMENT", "SECTION"])
        for item in items {
            table.append([Cell(item.role.rawValue), Cell(item.requirement), Cell(item.section)])
        }
        return table.text(style)
    }
}

/// The rows of a check, each shown when its conversation has ended.
struct ConformanceRows {
    private let isShown: Bool
    private let style: Style
    private let roleWidth: Int
    private let requirementWidth: Int

    init(_ items: [ConformanceItem], isShown: Bool, style: Style) {
        self.isShown = isShown
        self.style = style
        roleWidth = items.map(\.role.rawValue.count).max() ?? 0
        requirementWidth = items.map(\.requirement.count).max() ?? 0
        show(style.apply(.dim, "RESULT"), "ROLE", "REQUIREMENT", "SECTION", .dim)
    }

    func show(_ result: ConformanceResult) {
        let word =
            result.deviation == nil
            ? style.apply(.green, "pass  ") : style.apply(.red, "fail  ")
        show(word, result.item.role.rawValue, result.item.requirement, result.item.section, .plain)
    }

    private func show(
        _ result: String, _ role: String, _ requirement: String, _ section: String,
        _ colour: Style.Colour
    ) {
        guard isShown else {
            return
        }
        let words = [padded(role, roleWidth), padded(requirement, requirementWidth), section]
        Output.line(result + "  " + style.apply(colour, words.joined(separator: "  ")))
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: width - min(width, text.count))
    }
}

/// The result of a check.
struct ConformanceDocument: Document {
    let command: [String]
    let results: [ConformanceResult]

    private var failedCount: Int {
        results.count { $0.deviation != nil }
    }

    var status: ExitStatus {
        failedCount == 0 ? .done : .negative
    }

    var json: JSONValue {
        .object(
            JSONValue.memberList([
                "schema": "cascade/v1/conformance",
                "command": .array(command.map { .string($0) }),
                "passed": .integer(results.count - failedCount),
                "failed": .integer(failedCount),
                "items": .array(results.map { .object($0.members) }),
            ]))
    }

    /// The deviations and the numbers; the rows have been shown before.
    func text(_ style: Style) -> String {
        var blocks: [String] = []
        for result in results {
            guard let deviation = result.deviation else {
                continue
            }
            let title = "\(result.item.role.rawValue): \(result.item.requirement)"
            blocks.append(
                """
                \(style.apply(.red, title))
                  section   \(result.item.section)
                  expected  \(deviation.expected.safeForTerminal)
                  received  \(deviation.received.safeForTerminal)
                """)
        }
        blocks.append("\(results.count - failedCount) passed, \(failedCount) failed")
        return "\n" + blocks.joined(separator: "\n\n")
    }
}

extension ConformanceItem {
    fileprivate var members: [JSONValue.Member] {
        JSONValue.memberList([
            "role": .string(role.rawValue), "requirement": .string(requirement),
            "section": .string(section),
        ])
    }
}

extension ConformanceResult {
    fileprivate var members: [JSONValue.Member] {
        item.members
            + JSONValue.memberList([
                "result": .string(deviation == nil ? "passed" : "failed"),
                "expected": deviation.map { .string($0.expected) },
                "received": deviation.map { .string($0.received) },
            ])
    }
}
