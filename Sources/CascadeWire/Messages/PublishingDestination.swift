// SPDX-License-Identifier: Apache-2.0

/// Which of the subscribers at and below a publisher get a publication.
///
/// A subscriber's level is the number of subscribers of the same name between it and the publisher.
public enum PublishingDestination: UInt32, Sendable, CaseIterable {
    /// Exactly one: the one at the greatest level; among several, the one activated last.
    case last = 1
    /// All at the greatest level.
    case lastLevel = 2
    /// All at level 0.
    case firstLevel = 3
    case all = 4

    /// The destination as the command line and its documents write it.
    public var name: String {
        "\(self)"
    }
}
