// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import ZeroMQ

/// The authorized public keys, each with its owner's name in policies.
///
/// A file has one key per line: the name, then the key as `cascadectl keygen` prints it. A `#` at
/// the beginning of a line starts a comment; within a key it is an ordinary character.
package struct AuthorizedKeys: Sendable {
    /// The names by the keys' Z85 text.
    private var names: [String: String] = [:]

    private static let nameLengthMax = 128

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
            guard Self.isName(first) else {
                throw KeyFileError(
                    "\(place): '\(first.escapedForDisplay())' is not a name: a name has letters, "
                        + "digits, and . _ : @ -")
            }
            guard names.updateValue(String(first), forKey: String(words[1])) == nil else {
                throw KeyFileError("\(place): the key of '\(first)' is listed twice")
            }
        }
    }

    private static func isName(_ text: some StringProtocol) -> Bool {
        text.utf8.count <= nameLengthMax
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "-"):
                    true
                default: false
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
