// SPDX-License-Identifier: Apache-2.0

package import ZeroMQ

/// The reason why nothing was received.
package enum ConnectionError: Error, CustomStringConvertible {
    case socket(ZeroMQError)
    /// The received bytes are not a message of the protocol.
    case message(WireError)

    package var description: String {
        switch self {
        case .socket(let error): error.description
        case .message(let error): error.description
        }
    }
}
