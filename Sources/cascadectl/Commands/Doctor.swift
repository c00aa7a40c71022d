// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Checks the installation.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say what is wrong with the installation.",
        discussion: """
            The endpoint and why it is this one, the socket and who may open it, the daemon and \
            its process, releases, descriptors, and workers that systemd runs and that are not \
            attached. Exits with 0 if nothing is wrong, and with 3 otherwise. 'check' is about \
            the declarations in the tree.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let socket = SocketExamination(bus).diagnoses()
        let daemon = await DaemonExamination(options: bus).diagnoses()
        try output.conclude(DoctorDocument(diagnoses: socket + daemon))
    }
}
