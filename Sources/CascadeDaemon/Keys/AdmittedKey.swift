// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A key that somebody has proved to have, as the doorkeeper tells it to whoever reads a message.
///
/// libzmq hands the note on as a property of each message, and peers can send properties too. So
/// it bears a mark that nobody outside this process knows.
struct AdmittedKey: Equatable {
    /// The public key, as Z85 text.
    let key: String
    /// Whose it is.
    let name: String

    private static let mark = "\(SessionID.unguessable)"

    init(key: String, name: String) {
        self.key = key
        self.name = name
    }

    /// Returns `nil` if it was not the doorkeeper who wrote that.
    init?(userID: String) {
        // No space is in a mark, a key or a name.
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
