// SPDX-License-Identifier: Apache-2.0

package import ZeroMQ

/// Why nothing could be received.
package enum ConnectionError: Error, CustomStringConvertible {
    case socket(ZeroMQError)
    /// What came is no message of the protocol.
    case message(WireError)

    package var description: String {
        switch self {
        case .socket(let error): error.description
        case .message(let error): error.description
        }
    }
}
