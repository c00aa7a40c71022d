// SPDX-License-Identifier: Apache-2.0

/// A unix socket that listens already: peers that connect wait there until a daemon serves it.
struct InheritedSocket: Sendable {
    let path: String
    let name: String
    let number: Int32

    /// As ZeroMQ writes it.
    var endpoint: String {
        "ipc://\(path)"
    }
}
