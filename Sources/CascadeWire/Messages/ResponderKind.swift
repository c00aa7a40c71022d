// SPDX-License-Identifier: Apache-2.0

/// What a responder does with an event that reaches it.
public enum ResponderKind: UInt8, Sendable, CaseIterable {
    /// Answers handled or not handled.
    case receive = 1
    /// Always handles.
    case handle = 2
    /// Replaces the event for everything above, and cannot stop it.
    case transform = 3
    /// Sees the event and never stops it.
    case observe = 4

    /// The kind as the command line and its documents write it.
    public var name: String {
        "\(self)"
    }
}
