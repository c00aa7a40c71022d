// SPDX-License-Identifier: Apache-2.0

/// How an event or a publication ended.
public enum OutcomeCode: UInt32, Sendable, CaseIterable {
    case handled = 1
    case unhandled = 2
    case failed = 3
    case timedOut = 4
    case delivered = 5
    case noSubscriber = 6
    /// A responder failed, and above it the error was handled, or caught and its event handled.
    case caught = 7
    /// It broke a declaration in strict safety.
    case rejected = 8
    /// It had more causes than the bus allows.
    case looped = 9
    /// A cascade has visited all its nodes.
    case cascaded = 10

    /// The outcome as the command line and its documents write it.
    public var name: String {
        "\(self)"
    }
}
