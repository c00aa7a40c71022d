// SPDX-License-Identifier: Apache-2.0

/// A place where the console listens.
package enum ListenAddress: Sendable, Equatable {
    /// A port of the loopback interface; 0 for a free one.
    case loopback(port: Int)
    /// A Unix socket, which only the console's user and root may open.
    case unix(path: String)
    /// A listening socket that the service manager has opened.
    case inherited(Int32)

    /// `nil` unless `text` is `127.0.0.1:PORT` or `unix:PATH`.
    package init?(_ text: String) {
        let scheme = "unix:"
        if text.hasPrefix(scheme), text.utf8.count > scheme.utf8.count {
            self = .unix(path: String(text.dropFirst(scheme.count)))
            return
        }
        let host = "127.0.0.1:"
        guard text.hasPrefix(host), let port = UInt16(text.dropFirst(host.count)) else {
            return nil
        }
        self = .loopback(port: Int(port))
    }
}

/// The process that sent a request, as far as the kernel tells.
struct Peer: Sendable, Equatable {
    /// The user at the other end of a Unix socket; `nil` for the loopback interface.
    var userID: UInt32?

    static let loopback = Peer(userID: nil)

    /// Whether the request came over a Unix socket.
    var isLocal: Bool {
        userID != nil
    }
}

/// The users that may connect to the console's Unix sockets.
struct PeerRule: Sendable {
    /// The user of the console.
    let ownID: UInt32
    /// The user of a proxy in front of the console; `nil` without one.
    let proxyID: UInt32?

    /// Whether a user may connect. Users of the loopback interface prove themselves by a token alone.
    func admits(_ peer: Peer) -> Bool {
        peer.userID.map { $0 == ownID || $0 == 0 || $0 == proxyID } ?? true
    }

    /// Whether a peer of a Unix socket is the console's user or root. Any other is the proxy, which connects
    /// for its users.
    func isOwner(_ peer: Peer) -> Bool {
        peer.userID.map { $0 == ownID || $0 == 0 } ?? false
    }

    /// Whether a peer's word about the person behind a request is believed.
    func isProxy(_ peer: Peer) -> Bool {
        proxyID != nil && peer.userID == proxyID
    }
}
