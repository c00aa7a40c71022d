// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeJSON

/// Checks the declarations in the tree.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the declarations in the tree.",
        discussion: """
            Reports declared names without a responder, unreachable responders, undeclared names that \
            have been seen and, if the bus is a site, links to other sites that are cut or refused, \
            sites of the same name, and what does not cross. Exits with 0 without findings, and with \
            3 otherwise.

            Example: cascadectl check --format nagios
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, nagios
    }

    @OptionGroup var inspected: InspectionOptions

    @Option(help: "Output format; --json is the same as json.")
    var format = Format.text

    func run() async throws {
        var output = inspected.output
        output.json = output.json || format == .json
        if let dump = inspected.dump {
            let read = try Dump(readingFile: dump)
            try output.conclude(shown(ShownDocument(try read.document("check"))))
        } else if inspected.watch {
            try await watch(output)
        } else {
            let shownOnce = output
            try await inspected.bus.withBus(asking: inspected.asked.site) { bus in
                try shownOnce.conclude(try await document(of: bus, try await bus.query(.check)))
            }
        }
    }

    private func watch(_ output: OutputOptions) async throws {
        let screen = try WatchScreen(output)
        try await inspected.bus.watchBus(asking: inspected.asked.site, screen.showConnection) {
            bus in
            guard try await bus.link.isSite() || bus.asked != nil else {
                for try await message in try await bus.link.answers(.check) {
                    screen.show(shown(try ShownDocument(message)))
                }
                return
            }
            // The bus does not tell changes of the links.
            try await bus.poll(screen, identity: Self.identity) { _ in
                ([], try await document(of: bus, try await bus.query(.check)))
            }
        }
    }

    /// What distinguishes findings: times in their messages pass, and do not make them others.
    private static func identity(_ document: any Document) -> String {
        let findings = document.json["findings"]?.elements ?? []
        return findings.map { finding in
            ["kind", "path", "name"].map { finding[$0]?.text ?? "" }.joined(separator: " ")
        }.joined(separator: "\n")
    }

    private func document(of bus: Bus, _ answer: [UInt8]) async throws -> any Document {
        shown(ShownDocument(try bus.adding(try await bus.siteFindings(), to: answer)))
    }

    private func shown(_ check: ShownDocument<CheckDocument>) -> any Document {
        format == .nagios ? NagiosDocument(check: check) : check
    }
}

extension CheckDocument: TextDocument {
    var status: ExitStatus {
        findings.isEmpty ? .done : .negative
    }

    func text(_ style: Style) -> String {
        guard !findings.isEmpty else {
            return style.apply(.green, "no findings")
        }
        var table = Table(["KIND", "PATH", "NAME", "MESSAGE"], wrapping: [3])
        for finding in findings {
            table.append([
                Cell(finding.kind, .yellow),
                Cell(finding.path.description),
                Cell(finding.name),
                Cell(finding.message),
            ])
        }
        return table.text(style)
    }

    /// The line in the format of Nagios plugins, with the number of findings as performance data.
    var nagiosLine: String {
        let count = "findings=\(findings.count)"
        guard !findings.isEmpty else {
            return "OK - no findings about the declarations | \(count)"
        }
        let words = findings.map { finding in
            let what = finding.name.isEmpty ? finding.kind : "\(finding.kind) \(finding.name)"
            // The text after a bar is performance data.
            return "\(what) at \(finding.path): \(finding.message)"
                .replacing("|", with: "/").safeForTerminal
        }
        return "WARNING - \(words.joined(separator: "; ")) | \(count)"
    }
}

/// The findings about the declarations, as one line for a monitoring system.
struct NagiosDocument: Document {
    let check: ShownDocument<CheckDocument>

    var json: JSONValue {
        check.json
    }

    var status: ExitStatus {
        check.status
    }

    func text(_ style: Style) -> String {
        check.content.nagiosLine
    }
}
