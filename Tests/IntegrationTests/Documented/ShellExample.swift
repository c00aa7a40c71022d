// SPDX-License-Identifier: Apache-2.0

import Testing

/// An example of the shell in the article FromSwiftUIToProcesses, and what it does on a bus that is
/// as the example needs it.
struct ShellExample: Sendable, CustomTestStringConvertible {
    /// As it stands in the article.
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
