// SPDX-License-Identifier: Apache-2.0

/// The work of a `SocketThread` between jobs: it reads its sockets and writes what is due.
///
/// Called only on the thread, never inside a job. An actor pinned to the thread conforms with
/// `nonisolated` members that call `assumeIsolated`.
package protocol SocketThreadDriver: AnyObject {
    /// Reads and writes a bounded amount without blocking. Returns how long the thread may sleep.
    /// Also called after every batch of jobs, whether or not an item is ready.
    func turn() -> SocketThread.Rest

    /// The owned sockets and descriptors whose readiness ends the sleep.
    var pollItems: [PollItem] { get }

    /// A number that changes with the poll items. The items are read again only then, so that the
    /// steady state allocates nothing. A closed socket must leave the items in the same turn or
    /// job.
    var pollItemsRevision: Int { get }

    /// Whether any activity inside a socket ends the sleep, not only a readable message. Only this
    /// way does the thread notice that a peer takes messages again.
    var wakesOnActivity: Bool { get }
}

extension SocketThreadDriver {
    /// A constant, for items that never change.
    package var pollItemsRevision: Int { 0 }

    package var wakesOnActivity: Bool { false }
}
