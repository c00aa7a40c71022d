// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import Glibc

/// Has the daemon read its files again.
struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Have the daemon read its rules, policy and configuration again.",
        discussion: """
            It takes all of them or none, and says in its log what is wrong: 'rules check' and \
            'rules diff' say so before. Only the daemon's user and root may do that, on the \
            daemon's own machine.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let processID = try await bus.withBus { bus in
            try DaemonProcess.id(behind: bus.endpoint, claimed: bus.welcome.processID)
        }
        guard DaemonProcess.takesHangUp(processID) else {
            throw Stop(
                .failure,
                "the daemon, process \(processID), has no files to read again; restart it instead")
        }
        guard kill(processID, SIGHUP) == 0 else {
            let reason = String(cString: strerror(errno))
            throw Stop(
                errno == EPERM ? .denied : .failure,
                "the daemon, process \(processID), cannot be told to reload: \(reason)")
        }
        output.show(ReloadDocument(processID: processID))
    }
}
