// SPDX-License-Identifier: Apache-2.0

/// Which way a message goes on a connection.
enum Direction {
    /// From a worker to the daemon.
    case up
    /// From the daemon to a worker.
    case down
}
