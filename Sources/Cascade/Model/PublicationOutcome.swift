// SPDX-License-Identifier: Apache-2.0

/// The outcome of a publication.
public enum PublicationOutcome: Sendable, Hashable {
    /// These nodes received the publication, and their handlers have ended.
    case delivered([NodePath])
    /// No active node subscribes to the publication.
    case noSubscriber
    /// Every recipient failed; this is the failure of the first.
    case failed(Failure)
    /// No recipient's handler ended before the deadline.
    case timedOut
}
