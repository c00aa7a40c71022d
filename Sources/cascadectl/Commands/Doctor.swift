// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeInspection

/// Checks the installation.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the installation.",
        discussion: """
            Checks the endpoint and the reason for its choice, the socket and its permissions, the \
            daemon and its process, releases, descriptors, workers of systemd that are not \
            attached, and the links to other sites. Exits with 0 without findings, and with 3 \
            otherwise. 'check' examines the declarations in the tree.

            Example: cascadectl doctor
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let socket = SocketExamination(bus).diagnoses()
        let daemon = await DaemonExamination(options: bus).diagnoses()
        try output.conclude(DoctorDocument(diagnoses: socket + daemon))
    }
}
