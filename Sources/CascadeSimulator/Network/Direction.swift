// SPDX-License-Identifier: Apache-2.0

/// The direction of a message on a connection.
enum Direction {
    /// From a worker to the daemon.
    case up
    /// From the daemon to a worker.
    case down
}
