// SPDX-License-Identifier: Apache-2.0

/// How a place in the tree is doing.
public enum NodeState: UInt8, Sendable, CaseIterable {
    /// Held by a process that answers.
    case live = 1
    /// Live, but it or an ancestor is not active, so it does not count as a subscriber.
    case inactive = 2
    /// Its process has missed its beats: stopped, or busy without end.
    case unresponsive = 3
    /// It finishes what it accepted and takes nothing new.
    case leaving = 4
    /// No process holds it.
    case vacant = 5

    /// The state as the command line and its documents write it.
    public var name: String {
        "\(self)"
    }
}
