// SPDX-License-Identifier: Apache-2.0

import CSodium
import CascadeSite
import CascadeWire
import Glibc
import NATS

/// What a site needs to stand below a parent: a text that the parent's `add` writes, and the child's
/// `join` reads.
///
/// The text has one `key: value` line for each member, then the certificate, then a checksum of all
/// before it. It contains the secret key of the child unless the child made its own key.
struct Invitation: Equatable {
    /// The certificate that the child trusts, in PEM.
    var trust: String
    var realm: SiteName
    var parent: SiteName
    /// The name of the child.
    var site: SiteName
    /// The place of the parent's bus at which the child stands.
    var mount: NodePath
    var server: ServerAddress
    /// The public key with which the parent's server knows the child.
    var publicKey: String
    /// The secret key; `nil` if the child has it already.
    var key: UserKey?
    /// The end of the time in which `join` accepts the invitation.
    var expiry: Timestamp

    static func == (left: Invitation, right: Invitation) -> Bool {
        left.text == right.text
    }

    // MARK: - Writing

    fileprivate static let firstLine = "cascade-site invitation 1"
    fileprivate static let firstWords = "cascade-site invitation "

    var text: String {
        let secrecy =
            key == nil
            ? "It contains no secret." : "Keep it secret: it contains the key of '\(site)'."
        var text = """
            \(Self.firstLine)
            # Lets the site '\(site)' stand below '\(parent)'. \(secrecy)
            # On the machine of '\(site)', as root: cascade-site join FILE
            realm: \(realm)
            parent: \(parent)
            site: \(site)
            mount: \(mount)
            server: \(server)
            expires: \(expiry)
            public: \(publicKey)

            """
        if let key {
            text += "key: \(key.seed)\n"
        }
        text += trust.hasSuffix("\n") ? trust : trust + "\n"
        return text + "\(Self.checksumWord)\(Fingerprint.of(text))\n"
    }

    fileprivate static let checksumWord = "checksum: "
}

// MARK: - Reading

extension Invitation {
    /// Reads an invitation. Throws ``InvitationError`` if the text is not complete and unchanged.
    ///
    /// Lines may end with a carriage return, and text before the first line is skipped, so that the
    /// output of a remote shell can be read.
    init(parsing input: String) throws(InvitationError) {
        let lines = Self.lines(of: input)
        guard let first = lines.firstIndex(where: { $0.hasPrefix(Self.firstWords) }) else {
            throw .notAnInvitation
        }
        guard lines[first] == Self.firstLine else {
            throw .otherVersion(String(lines[first].dropFirst(Self.firstWords.count)))
        }
        guard
            let last = lines[first...].firstIndex(where: { $0.hasPrefix(Self.checksumWord) })
        else {
            throw .truncated
        }
        let body = lines[first..<last].map { $0 + "\n" }.joined()
        guard lines[last] == Self.checksumWord + Fingerprint.of(body) else {
            throw .garbled
        }
        try self.init(lines: lines[(first + 1)..<last])
    }

    private static func lines(of input: String) -> [String] {
        input.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(line.last == "\r" ? line.dropLast() : line)
        }
    }

    private init(lines: ArraySlice<String>) throws(InvitationError) {
        let start = lines.firstIndex { $0.hasPrefix("-----BEGIN ") } ?? lines.endIndex
        var members: [String: String] = [:]
        for line in lines[..<start] where !line.hasPrefix("#") && !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else {
                throw .invalid("line '\(line.escapedForDisplay())'")
            }
            members[String(parts[0])] = parts[1].drop { $0 == " " }.description
        }
        func member(_ name: String) throws(InvitationError) -> String {
            guard let value = members[name] else {
                throw .invalid("'\(name)' is missing")
            }
            return value
        }
        trust = lines[start...].map { $0 + "\n" }.joined()
        guard trust.contains("-----END CERTIFICATE-----\n") else {
            throw .invalid("the certificate is missing")
        }
        do {
            realm = try SiteName(try member("realm"))
            parent = try SiteName(try member("parent"))
            site = try SiteName(try member("site"))
            mount = try NodePath(try member("mount"))
        } catch let error as InvitationError {
            throw error
        } catch {
            throw .invalid("\(error)")
        }
        guard let server = ServerAddress(try member("server")) else {
            throw .invalid("the address of the server")
        }
        self.server = server
        guard let expiry = Timestamp(try member("expires")) else {
            throw .invalid("the time of expiry")
        }
        self.expiry = expiry
        publicKey = try member("public")
        key = members["key"].flatMap { UserKey(seed: $0) }
        guard UserKey.isPublicKey(publicKey), members["key"] == nil || key != nil,
            key == nil || key?.publicKey == publicKey
        else {
            throw .invalid("the key")
        }
    }
}

/// The reason why a text is not an invitation.
enum InvitationError: Error, Equatable, CustomStringConvertible {
    case notAnInvitation
    case otherVersion(String)
    case truncated
    case garbled
    case invalid(String)

    var description: String {
        switch self {
        case .notAnInvitation:
            "this is not an invitation; 'cascade-site add NAME PATH' at the parent writes one"
        case .otherVersion(let version):
            "the invitation has version '\(version.escapedForDisplay())', and this release knows "
                + "version 1; install the same release of cascade-site at both sites"
        case .truncated:
            "the invitation is truncated: its last line is missing; copy the whole file again"
        case .garbled:
            "the invitation was changed on its way: its checksum does not match; copy the file again"
        case .invalid(let part):
            "the invitation is not valid: \(part); request a new one at the parent"
        }
    }
}

/// A short hash of a text.
enum Fingerprint {
    private static let byteCount = 16

    /// Returns the first half of the SHA-256 of a text, in hexadecimal digits.
    static func of(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
        return hash.prefix(byteCount).map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }
}

extension Timestamp {
    /// The current second.
    static var now: Timestamp {
        Timestamp(microseconds: Int64(time(nil)) * 1_000_000)
    }

    func advanced(byDays days: Int) -> Timestamp {
        Timestamp(microseconds: microseconds + Int64(days) * 86_400_000_000)
    }
}
