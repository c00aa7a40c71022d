// SPDX-License-Identifier: Apache-2.0

/// A listening unix socket passed by the service manager; the kernel queues connections to it until
/// the daemon accepts them.
struct InheritedSocket: Sendable {
    let path: String
    let name: String
    let number: Int32

    /// The endpoint in ZeroMQ's notation.
    var endpoint: String {
        "ipc://\(path)"
    }
}
