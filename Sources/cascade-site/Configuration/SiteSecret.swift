// SPDX-License-Identifier: Apache-2.0

import CascadeService
import Glibc
package import NATS

/// The secret keys of a site: credentials of the service manager, or files. They are never arguments or
/// settings, which other users can read.
package enum SiteSecret: String, Sendable {
    /// The key to the parent's server.
    case site = "site-key"
    /// The key of the gate to the server of this site.
    case gate = "gate-key"
    /// The key pair for a bus on tcp.
    case bus = "bus-key"

    private static let byteCountMax = 4_096

    /// What the service unit passes as a credential in place of a file that does not exist.
    private static let placeholder = "none"

    /// The folder with the credentials of the service manager; `nil` without one.
    private static var credentials: String? {
        getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    }

    /// The path of the file with the secret: the credential of that name, if the service manager provides
    /// it, or else the configured file. Throws ``SiteSecretError`` without either.
    package func path(
        configured path: String?, credentials folder: String? = credentials
    ) throws(SiteSecretError) -> String {
        if let folder {
            let credential = "\(folder)/\(rawValue)"
            let text = try? TextFile.read(credential, byteCountMax: Self.byteCountMax)
            if TextFile.isThere(credential), text != Self.placeholder {
                return credential
            }
        }
        guard let path else {
            throw SiteSecretError(
                "there is no key: the configuration names no file, and the service manager passes no "
                    + "credential '\(rawValue)'")
        }
        return path
    }

    /// Reads the key of a NATS user. Throws ``SiteSecretError`` if the file cannot be read, contains no key,
    /// or is accessible to other users.
    package func userKey(configured: String?) throws(SiteSecretError) -> UserKey {
        let path = try path(configured: configured)
        let text: String
        do throws(TextFileError) {
            text = try TextFile.read(path, byteCountMax: Self.byteCountMax)
        } catch {
            throw SiteSecretError("cannot read the key in '\(path)': \(error.reason)")
        }
        return try UserKey(text: text, of: path)
    }
}

extension UserKey {
    /// Takes the key from the text of a file. Throws ``SiteSecretError`` if the text contains none, or if all users
    /// may access the file.
    init(text: String, of path: String) throws(SiteSecretError) {
        var status = stat()
        guard stat(path, &status) != 0 || status.st_mode & 0o007 == 0 else {
            throw SiteSecretError(
                "all users may access the key in '\(path)': a new one is needed, with mode 0600")
        }
        let seed = text.split(whereSeparator: \.isWhitespace).first { !$0.hasPrefix("#") }
        guard let key = seed.flatMap({ UserKey(seed: String($0)) }) else {
            throw SiteSecretError("'\(path)' contains no seed of a NATS user")
        }
        self = key
    }
}

/// Why a secret is not available, as a sentence for a person.
package struct SiteSecretError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
