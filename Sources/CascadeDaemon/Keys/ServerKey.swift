// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

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
