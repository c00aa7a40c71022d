// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinux
import CascadeWire
import Glibc

/// The command line of the bus.
@main
struct Cascadectl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cascadectl", abstract: "Inspect and control a Cascade bus.",
        discussion: "'cascadectl help COMMAND' describes a command and its options.",
        version: Release.name,
        // The processes that 'bench' starts.
        subcommands: [BenchReceive.self, BenchSend.self],
        groupedSubcommands: [
            ArgumentParser.CommandGroup(
                name: "Inspection",
                subcommands: [
                    Tree.self, List.self, Status.self, Sites.self, Top.self, Graph.self,
                    Monitor.self, ConsoleCommand.self,
                ]),
            ArgumentParser.CommandGroup(
                name: "Messages",
                subcommands: [
                    Trigger.self, Report.self, Request.self, CascadeUp.self, Publish.self,
                    RouteCommand.self, Subscribers.self, Trace.self, UnderWay.self,
                    Undelivered.self, Capture.self, Replay.self,
                ]),
            ArgumentParser.CommandGroup(
                name: "Nodes",
                subcommands: [
                    Attach.self, Wait.self, Activate.self, Deactivate.self, Move.self, Drain.self,
                    Detach.self,
                ]),
            ArgumentParser.CommandGroup(
                name: "Values",
                subcommands: [Env.self, Rules.self, Preferences.self]),
            ArgumentParser.CommandGroup(
                name: "Administration",
                subcommands: [
                    Check.self, Doctor.self, DumpCommand.self, Metrics.self, Ping.self,
                    Reload.self, PolicyCommand.self, Keygen.self, Bench.self, Conformance.self,
                    Version.self, Completion.self,
                ]),
        ],
        defaultSubcommand: Tree.self)

    /// Runs the command in the arguments, and exits with its documented status.
    static func main() async {
        cascade_prepare_standard_descriptors()
        var words: CommandWords?
        do {
            let prepared = try CommandWords(CommandLine.arguments.dropFirst(), of: Self.self)
            words = prepared
            if prepared.command.first == Attach._commandName {
                LeaveSignals.exitOnSignal()
                Output.continueOnFailure()
            } else {
                signal(SIGINT) { _ in _exit(ExitStatus.interrupted.rawValue) }
            }
            var command = try await asyncParseAsRoot(prepared.arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let isUsage = exitCode(for: error) == .validationFailure && !isCompletion
            guard let stop = Stop(error) ?? (isUsage ? words?.unknownOption : nil) else {
                end(
                    withParserError: error,
                    hint: words?.hint(forParserError: fullMessage(for: error)))
            }
            if let message = stop.message {
                Output.diagnostic(message.safeForTerminal)
            }
            Glibc.exit(stop.status.rawValue)
        }
    }

    /// Whether a shell requests a completion. It does so while the user types, so errors are not
    /// printed.
    private static var isCompletion: Bool {
        CommandLine.arguments.dropFirst().first == "---completion"
    }

    /// Ends the process with an error of the argument parser. Its text quotes arguments unchanged,
    /// so it is escaped for the terminal.
    private static func end(withParserError error: any Error, hint: String?) -> Never {
        let status = exitCode(for: error)
        guard status != .success else {
            exit(withError: error)
        }
        guard !isCompletion else {
            Glibc.exit(status.rawValue)
        }
        let message = withoutLineFeeds(inArgumentsOf: fullMessage(for: error))
        for (index, line) in message.split(separator: "\n").enumerated() {
            Output.explanation((line + (index == 0 ? hint ?? "" : "")).safeForTerminal)
        }
        Glibc.exit(status.rawValue)
    }
}

extension Cascadectl {
    /// Returns a message with the line feeds of quoted arguments escaped, so that an error is one
    /// line.
    private static func withoutLineFeeds(inArgumentsOf message: String) -> String {
        var message = message
        for argument in CommandLine.arguments where argument.contains("\n") {
            // The value of an option may follow an equals sign.
            let value = argument.split(separator: "=", maxSplits: 1).last.map(String.init)
            for quoted in [argument, value ?? ""] where quoted.contains("\n") {
                message = message.replacing(quoted, with: quoted.escapedForDisplay())
            }
        }
        return message
    }
}

/// The release of the command line.
enum Release {
    static let name = "cascadectl 0.1.0"
}
