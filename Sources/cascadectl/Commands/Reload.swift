// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON
import Glibc

/// Reloads the daemon's files.
struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reload the daemon's rules, policy and configuration.",
        discussion: """
            The daemon applies all files or none. An error is printed as FILE:LINE:COLUMN: \
            message, and the exit code is 78; 'rules check' and 'rules diff' find errors in \
            advance. Only the daemon's user and root may reload, on the daemon's machine.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let document = try await bus.withBus(isFinal: true) { bus in
            let processID = try DaemonProcess.id(
                behind: bus.endpoint, claimed: bus.welcome.processID)
            let happenings = try await bus.answers(.monitor(MonitorFilter(kinds: [.env, .admin])))
            // The answer to a later query confirms that the bus has registered the monitor.
            _ = try await bus.link.query(.rules)
            try Self.hangUp(processID)
            return ReloadDocument(
                processID: processID, message: try await Self.result(among: happenings))
        }
        output.show(document)
    }

    private static func hangUp(_ processID: pid_t) throws {
        guard DaemonProcess.takesHangUp(processID) else {
            throw Stop(
                .failure,
                "the daemon, process \(processID), has no files to reload; restart it instead")
        }
        guard kill(processID, SIGHUP) == 0 else {
            let reason = String(cString: strerror(errno))
            throw Stop(
                errno == EPERM ? .denied : .failure,
                "cannot signal the daemon, process \(processID), to reload: \(reason)")
        }
    }

    /// Returns the message of a successful reload, or throws ``Stop``.
    private static func result(
        among happenings: some AsyncSequence<[UInt8], any Error>
    ) async throws -> String {
        for try await message in happenings {
            let happening = try JSONValue(answer: message)
            let words = happening["message"]?.string ?? ""
            switch happening["what"]?.string {
            case "rulesLoaded": return words
            case "configurationRefused", "policyRefused", "rulesRefused", "keysRefused":
                Output.explanation("\(words); what was there before stays".safeForTerminal)
                throw Stop(.configuration)
            default: break
            }
        }
        throw CancellationError()
    }
}
