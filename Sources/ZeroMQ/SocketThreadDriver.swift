// SPDX-License-Identifier: Apache-2.0

/// What a `SocketThread` does between jobs: reads its sockets and writes what is due.
///
/// Called on the thread only, never inside a job. An actor pinned to the thread conforms with
/// `nonisolated` members that say `assumeIsolated`.
package protocol SocketThreadDriver: AnyObject {
    /// Reads and writes a bounded amount of what is ready, without blocking, and says how long the
    /// thread may sleep. Also called after every batch of jobs, whether or not anything is ready.
    func turn() -> SocketThread.Rest

    /// The owned sockets and descriptors whose readiness ends the sleep.
    var pollItems: [PollItem] { get }

    /// Another number than before after the poll items changed; they are read again only then, so
    /// that the steady state allocates nothing. A closed socket must leave the items in the same
    /// turn or job.
    var pollItemsRevision: Int { get }

    /// Whether anything that goes on inside a socket ends the sleep, and not only a message that
    /// can be read: a peer that takes messages again shows in no other way.
    var wakesOnActivity: Bool { get }
}

extension SocketThreadDriver {
    /// Items that never change.
    package var pollItemsRevision: Int { 0 }

    package var wakesOnActivity: Bool { false }
}
