// SPDX-License-Identifier: Apache-2.0

/// How a publication ended.
public enum PublicationOutcome: Sendable, Hashable {
    /// These nodes received it, and their handlers have ended.
    case delivered([NodePath])
    /// Nobody who counts subscribes to it.
    case noSubscriber
    /// Every recipient failed; this is how the first one did.
    case failed(Failure)
    /// No recipient's handler ended before the deadline.
    case timedOut
}
