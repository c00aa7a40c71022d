// SPDX-License-Identifier: Apache-2.0

/// The socket types of request and reply, which may meet each other (RFC 37, *The Socket-Type
/// Property*). A peer of another type is refused.
package enum SocketType: String, Sendable {
    case request = "REQ"
    case reply = "REP"
    case dealer = "DEALER"
    case router = "ROUTER"

    /// Whether the RFC allows a connection with a peer of the other type.
    func accepts(_ peer: SocketType) -> Bool {
        switch self {
        case .request: peer == .reply || peer == .router
        case .reply: peer == .request || peer == .dealer
        case .dealer: peer == .reply || peer == .dealer || peer == .router
        case .router: peer == .request || peer == .dealer || peer == .router
        }
    }
}
