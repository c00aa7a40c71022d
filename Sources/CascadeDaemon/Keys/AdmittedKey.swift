// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A key that a peer has proved to have, passed from the authenticator to the broker's thread.
///
/// libzmq attaches the text to each message as a property, and peers can send properties too. So
/// the text contains a mark that no other process knows.
struct AdmittedKey: Equatable {
    /// The public key, as Z85 text.
    let key: String
    /// The name of the key's owner.
    let name: String

    private static let mark = "\(SessionID.unguessable)"

    init(key: String, name: String) {
        self.key = key
        self.name = name
    }

    /// Parses the authenticator's text; `nil` if the text lacks its mark.
    init?(userID: String) {
        // Neither a mark nor a key nor a name contains a space.
        let parts = userID.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == Self.mark else {
            return nil
        }
        key = String(parts[1])
        name = String(parts[2])
    }

    var userID: String {
        "\(Self.mark) \(key) \(name)"
    }
}

extension SessionID {
    fileprivate static var unguessable: SessionID {
        var generator = SystemRandomNumberGenerator()
        return SessionID(high: generator.next(), low: generator.next())
    }
}
