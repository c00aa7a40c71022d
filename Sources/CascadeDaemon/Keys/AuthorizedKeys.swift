// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import ZeroMQ

/// The authorized public keys, each with its owner's name in policies.
///
/// A file has one key per line: the name, then the key as `cascadectl keygen` prints it. A `#` at
/// the beginning of a line starts a comment; within a key it is an ordinary character.
package struct AuthorizedKeys: Sendable {
    /// The names by the keys' Z85 text.
    private var names: [String: String] = [:]

    init() {}

    /// Parses a file. Throws ``KeyFileError`` for the first invalid line.
    package init(_ text: String, file: String) throws(KeyFileError) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let first = words.first, !first.hasPrefix("#") else {
                continue
            }
            let place = "\(file):\(index + 1):1"
            guard words.count == 2, CurveKeyPair.isKey(words[1]) else {
                throw KeyFileError(
                    "\(place): expected a name and a public key of \(CurveKeyPair.keyLength) "
                        + "characters")
            }
            guard KeyName.isValid(first) else {
                throw KeyFileError(
                    "\(place): '\(first.escapedForDisplay())' is not a name: \(KeyName.rule)")
            }
            guard names.updateValue(String(first), forKey: String(words[1])) == nil else {
                throw KeyFileError("\(place): the key of '\(first)' is listed twice")
            }
        }
    }

    /// The number of keys.
    package var count: Int {
        names.count
    }

    /// The key with its owner's name; `nil` if it is not authorized.
    func owner(of key: [UInt8]) -> AdmittedKey? {
        guard let text = Z85.text(key), let name = names[text] else {
            return nil
        }
        return AdmittedKey(key: text, name: name)
    }

    /// Whether the key is still authorized, under the same name.
    func admits(_ key: AdmittedKey) -> Bool {
        names[key.key] == key.name
    }
}

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

/// The secret key of the bus, by which peers on other machines authenticate it.
struct ServerKey: Sendable {
    /// Z85 text.
    private let secret: String

    /// The name of the systemd credential that holds the key.
    static let credential = "curve-key"

    /// Reads the key from the file or, without a path, from systemd's credential. Returns `nil`
    /// without either. Throws ``KeyFileError`` if the key cannot be used.
    static func read(_ path: String?) throws(KeyFileError) -> ServerKey? {
        guard let path else {
            guard let folder = getenv("CREDENTIALS_DIRECTORY") else {
                return nil
            }
            let path = "\(String(cString: folder))/\(credential)"
            return access(path, F_OK) == 0 ? try ServerKey(path) : nil
        }
        return try ServerKey(path)
    }

    private init(_ path: String) throws(KeyFileError) {
        let text: String
        do throws(GuardedFileError) {
            text = try GuardedFile.read(path, .secret)
        } catch {
            throw KeyFileError("the key of the bus cannot be read: \(error)")
        }
        guard let pair = CurveKeyPair(fileText: text) else {
            throw KeyFileError("'\(path)' does not hold a key written by 'cascadectl keygen'")
        }
        secret = pair.secretKey
    }

    /// Requires CURVE of the endpoints that the socket binds from now on: peers must know the key
    /// of the bus and prove to have an authorized one.
    func secure(_ socket: borrowing Socket) throws(ZeroMQError) {
        try socket.set(.curveServer, 1)
        try socket.set(.curveSecretKey, secret)
    }
}

/// Reads the file of authorized keys.
enum KeyFiles {
    static func read(_ path: String) throws(KeyFileError) -> AuthorizedKeys {
        let text: String
        do throws(GuardedFileError) {
            text = try GuardedFile.read(path)
        } catch {
            throw KeyFileError("the authorized keys cannot be read: \(error)")
        }
        return try AuthorizedKeys(text, file: path)
    }
}

/// The reason why a key file cannot be used, as one sentence.
package struct KeyFileError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
