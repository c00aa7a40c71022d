// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeWire
import Glibc

/// The command line of the bus.
@main
struct Cascadectl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cascadectl", abstract: "Inspect and control a Cascade bus.",
        version: Release.name,
        subcommands: [
            Tree.self, List.self, Status.self, Attach.self,
            Trigger.self, Report.self, Request.self, CascadeUp.self, Publish.self,
            Activate.self, Deactivate.self, Move.self, Drain.self, Detach.self, Wait.self,
            RouteCommand.self, Subscribers.self, Monitor.self, Trace.self, Undelivered.self,
            Check.self, Doctor.self, Top.self, Graph.self, DumpCommand.self,
            Capture.self, Replay.self,
            Env.self, Rules.self, Preferences.self, PolicyCommand.self, Metrics.self,
            Ping.self, Reload.self, Keygen.self, Version.self, Completion.self,
            Bench.self, BenchReceive.self, BenchSend.self, Conformance.self,
        ],
        defaultSubcommand: Tree.self)

    /// Runs the command in the arguments, and exits with its documented status.
    static func main() async {
        if CommandLine.arguments.dropFirst().first == Attach._commandName {
            LeaveSignals.exitOnSignal()
        } else {
            signal(SIGINT) { _ in _exit(ExitStatus.interrupted.rawValue) }
        }
        do {
            var command = try await asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            guard let stop = Stop(error) else {
                end(withParserError: error)
            }
            if let message = stop.message {
                Output.diagnostic(message.safeForTerminal)
            }
            Glibc.exit(stop.status.rawValue)
        }
    }

    /// Ends the process with an error of the argument parser. Its text quotes arguments unchanged,
    /// so it is escaped for the terminal.
    private static func end(withParserError error: any Error) -> Never {
        let status = exitCode(for: error)
        guard status != .success else {
            exit(withError: error)
        }
        // A shell requests completions while the user types, so errors are not printed.
        guard CommandLine.arguments.dropFirst().first != "---completion" else {
            Glibc.exit(status.rawValue)
        }
        for line in fullMessage(for: error).split(separator: "\n") {
            Output.explanation(String(line).safeForTerminal)
        }
        Glibc.exit(status.rawValue)
    }
}

/// The release of the command line.
enum Release {
    static let name = "cascadectl 0.1.0"
}
