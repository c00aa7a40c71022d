// SPDX-License-Identifier: Apache-2.0

/// How an event or a publication ended.
public enum OutcomeCode: UInt32, Sendable, CaseIterable {
    case handled = 1
    case unhandled = 2
    case failed = 3
    case timedOut = 4
    case delivered = 5
    case noSubscriber = 6

    /// The outcome as the command line and its documents write it.
    public var name: String {
        "\(self)"
    }
}
