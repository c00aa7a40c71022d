// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeExpressions
import CascadeInspection
import CascadeJSON

/// The rules that derive values.
struct Rules: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Rules: list, check, and preview of changes.",
        subcommands: [RulesList.self, RulesCheck.self, RulesDiff.self],
        defaultSubcommand: RulesList.self)
}

/// Lists the active rules.
struct RulesList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the active rules, by file or node.",
        discussion: """
            Example: cascadectl rules
            """)

    @OptionGroup var inspected: InspectionOptions

    func run() async throws {
        try await Inspection(inspected).show(.rules) { message, _ in
            try ShownDocument<RulesDocument>(message)
        } dumped: { dump in
            ShownDocument<RulesDocument>(try dump.document("rules"))
        }
    }
}

extension RulesDocument: TextDocument {
    func text(_ style: Style) -> String {
        var table = Table(["OF", "LINE", "RULE", "PRIORITY"], wrapping: [2])
        var isEmpty = true
        for model in models {
            let source = model.file ?? model.at.description
            for rule in model.rules {
                isEmpty = false
                table.append([
                    Cell(source), Cell(String(rule.line)),
                    Cell(rule.rule), Cell(String(rule.priority), .dim),
                ])
            }
        }
        return isEmpty ? "there are no rules" : table.text(style)
    }
}

/// Checks the syntax of a rules file. It needs no bus.
struct RulesCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the syntax of a rules file.",
        discussion: """
            Needs no bus. Each error is printed as FILE:LINE:COLUMN: message on standard error, or \
            with --json in the document; the exit code is 78 then.

            Example: cascadectl rules check house.rules
            """)

    @OptionGroup var output: PlainOutputOptions

    @Argument(help: "Rules file; '-' for standard input.", completion: .file())
    var file: String

    func run() throws {
        let rules = try LocalRulesFile(readingFile: file)
        if !output.json {
            try rules.expectNoFaults()
        }
        try output.conclude(
            ShownDocument(
                RulesCheckDocument(
                    file: rules.file, rules: rules.ruleCount, errors: rules.faults)))
    }
}

extension RulesCheckDocument: TextDocument {
    var status: ExitStatus {
        errors.isEmpty ? .done : .configuration
    }

    func text(_ style: Style) -> String {
        "\(file): \(rules == 1 ? "1 rule" : "\(rules) rules")".safeForTerminal
    }
}

/// Prints the effects of a rules file on the bus.
struct RulesDiff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Print the values that a rules file would change.",
        discussion: """
            Changes nothing. The file replaces the bus's file of the same path, or is added to the \
            others. Errors in the file are printed as by 'check', and the exit code is 78 then.

            Example: cascadectl rules diff house.rules
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var asked: SiteOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "Rules file; '-' for standard input.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "Name, in 'rules list', of the bus's file to replace.",
            valueName: "file"))
    var replaces: String?

    func run() async throws {
        let rules = try LocalRulesFile(readingFile: file)
        try rules.expectNoFaults()
        let difference = try await bus.withBus(asking: asked.site) { bus in
            let active = try RulesDocument(answer: await bus.query(.rules))
            let name = try name(among: active.files)
            let subject = Query.Subject.rulesDifference(file: name, text: rules.text)
            return try ShownDocument<RulesDifferenceDocument>(await bus.query(subject))
        }
        try output.conclude(difference)
    }

    /// Returns the name of the bus's file to replace; that of a new file if the bus has none.
    ///
    /// - Parameter files: The bus's files.
    private func name(among files: [String]) throws -> String {
        if let replaces {
            guard files.contains(replaces) else {
                throw Stop(.absent, "the bus has no rules file '\(replaces)'")
            }
            return replaces
        }
        let path = RealPath.of(file)
        return files.first { $0 == file || path != nil && RealPath.of($0) == path } ?? file
    }
}

extension RulesDifferenceDocument: TextDocument {
    func text(_ style: Style) -> String {
        guard !changes.isEmpty else {
            return "nothing would change"
        }
        var table = Table(["PATH", "KEY", "NOW", "THEN"])
        for change in changes {
            table.append([
                Cell(change.path.description), Cell(change.key.description),
                Cell(change.old?.text ?? "", .red), Cell(change.new?.text ?? "", .green),
            ])
        }
        return table.text(style)
    }
}

// MARK: - Files

/// A rules file on this machine, parsed without a bus.
struct LocalRulesFile: Sendable {
    let file: String
    let text: String
    let ruleCount: Int
    /// The errors, one for each line.
    let faults: [FileFault]

    /// Throws ``Stop`` if the file cannot be read.
    init(readingFile path: String) throws {
        let source = path == "-" ? InputFile.standardInput : InputFile(path: path)
        let bytes: [UInt8]
        do {
            bytes = try source.read()
        } catch let stop as Stop {
            throw Stop(.configuration, stop.message)
        }
        file = path
        text = String(decoding: bytes, as: UTF8.self)
        if let error = ExpressionError(notUTF8: bytes) {
            ruleCount = 0
            faults = [FileFault(line: error.line, column: error.column, message: error.message)]
        } else {
            (ruleCount, faults) = Self.read(text, path)
        }
    }

    /// Parses each line separately, because a parse ends at its first error.
    private static func read(_ text: String, _ file: String) -> (ruleCount: Int, [FileFault]) {
        var ruleCount = 0
        var faults: [FileFault] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            do throws(RuleFileError) {
                let rules = try RuleFile.parse(line, file: file)
                ruleCount += rules.count
                faults += rules.compactMap { Self.fault(of: $0, inLine: index + 1) }
            } catch {
                faults.append(
                    FileFault(
                        line: index + 1, column: error.error.column, message: error.error.message))
            }
        }
        return (ruleCount, faults)
    }

    /// Returns the error of a rule whose syntax is valid but that the bus refuses.
    private static func fault(of rule: Rule, inLine line: Int) -> FileFault? {
        do throws(NameError) {
            let key = try EventName(rule.key)
            return BuiltInKey(key).map {
                FileFault(line: line, column: rule.column, message: $0.ruleRefusal)
            }
        } catch {
            return FileFault(line: line, column: rule.column, message: error.description)
        }
    }

    /// Prints all errors. Throws ``Stop`` if there are any.
    func expectNoFaults() throws {
        for fault in faults {
            Output.explanation(line(for: fault).safeForTerminal)
        }
        if !faults.isEmpty {
            throw Stop(.configuration)
        }
    }

    private func line(for fault: FileFault) -> String {
        "\(file):\(fault.line):\(fault.column): \(fault.message)"
    }
}
