// SPDX-License-Identifier: Apache-2.0

import CZeroMQ

/// A call that libzmq or the system refused because of the environment, never because of a peer.
package struct ZeroMQError: Error, Equatable, CustomStringConvertible {
    /// The errno of the refused call.
    package let code: Int32
    /// The call and its endpoint in words: "bind ipc:///run/cascade/bus".
    package let operation: String

    /// An error of a call that returned its errno.
    package init(code: Int32, operation: String) {
        self.code = code
        self.operation = operation
    }

    /// Takes the errno that the previous call set.
    @usableFromInline
    init(during operation: String) {
        self.init(code: zmq_errno(), operation: operation)
    }

    /// Whether the context was shut down: its sockets can only be closed.
    package var isTermination: Bool { code == cascade_eterm }

    /// Whether no transport accepts the endpoint: its form is invalid, or its transport is not
    /// built in.
    package var isBadEndpoint: Bool {
        [EINVAL, EPROTONOSUPPORT, ENODEV, ENAMETOOLONG].contains(code)
    }

    package var description: String { "\(operation): \(String(cString: zmq_strerror(code)))" }
}
