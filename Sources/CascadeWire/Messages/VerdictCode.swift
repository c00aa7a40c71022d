// SPDX-License-Identifier: Apache-2.0

/// What a node answered to one visit.
public enum VerdictCode: UInt32, Sendable, CaseIterable {
    /// Not handled: the next responder is asked.
    case passed = 1
    /// Handled: the event ends here.
    case handled = 2
    /// The event goes on as another.
    case replaced = 3
    /// The responder threw.
    case failed = 4
    /// A request has its reply.
    case answered = 5

    /// The verdict as the command line and its documents write it.
    public var name: String {
        "\(self)"
    }
}
