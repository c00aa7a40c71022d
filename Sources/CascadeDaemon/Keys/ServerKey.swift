// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// The key of the bus, by which workers on other machines know it.
struct ServerKey: Sendable {
    /// Z85 text.
    private let secret: String

    /// What a credential of systemd is called that holds the key.
    static let credential = "curve-key"

    /// Reads the key from the file; with none, from systemd's credential. Returns `nil` if there is
    /// neither. Throws ``KeyFileError`` if there is one that cannot be used.
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
            throw KeyFileError("'\(path)' holds no key as 'cascadectl keygen' writes one")
        }
        secret = pair.secretKey
    }

    /// From here on, what the socket binds is for those only who know the key of the bus and prove
    /// one of their own.
    func secure(_ socket: borrowing Socket) throws(ZeroMQError) {
        try socket.set(.curveServer, 1)
        try socket.set(.curveSecretKey, secret)
    }
}
