// SPDX-License-Identifier: Apache-2.0

import CZeroMQ

/// What libzmq refused, and while doing what: the environment's fault, never a peer's.
package struct ZeroMQError: Error, Equatable, CustomStringConvertible {
    /// The errno of the refused call.
    package let code: Int32
    /// The call in words, with the endpoint it was about: "bind ipc:///run/cascade/bus".
    package let operation: String

    package init(code: Int32, operation: String) {
        self.code = code
        self.operation = operation
    }

    /// Takes the errno that the call before this one left.
    @usableFromInline
    init(during operation: String) {
        self.init(code: zmq_errno(), operation: operation)
    }

    /// The context was shut down: nothing but closing is left to do with its sockets.
    package var isTermination: Bool { code == cascade_eterm }

    /// An endpoint is written in a way that no transport knows, or for one that is not built in.
    package var isBadEndpoint: Bool {
        [EINVAL, EPROTONOSUPPORT, ENODEV, ENAMETOOLONG].contains(code)
    }

    package var description: String { "\(operation): \(String(cString: zmq_strerror(code)))" }
}
