// SPDX-License-Identifier: Apache-2.0

import Testing

/// A shell example of the article FromSwiftUIToProcesses, and a check of its effect on a bus
/// prepared for it.
struct ShellExample: Sendable, CustomTestStringConvertible {
    /// The command, word for word.
    let command: String
    let check: @FaultThread @Sendable (ShellBus) throws -> Void

    var testDescription: String {
        command
    }

    init(
        _ command: String, _ check: @escaping @FaultThread @Sendable (ShellBus) throws -> Void
    ) {
        self.command = command
        self.check = check
    }

    static let all =
        events + errors + publications + declarations + requests + environment + topology
}
