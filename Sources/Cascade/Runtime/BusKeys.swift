// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import ZeroMQ

/// How a worker and a bus on another machine know one another (CURVE, ZeroMQ's RFC 26): the bus by
/// its public key, the worker by a key of its own, which the bus has among its authorized ones.
public struct BusKeys: Sendable {
    private let serverKey: String
    private let own: CurveKeyPair

    /// Reads the worker's own key from a file that `cascadectl keygen` wrote. Throws
    /// ``CascadeError`` if that cannot be done, or if others may read the file.
    ///
    /// - Parameters:
    ///   - serverKey: the public key of the bus.
    ///   - file: the path of the file.
    public init(serverKey: String, file: String) throws {
        guard CurveKeyPair.isKey(serverKey) else {
            throw Self.error(
                "the public key of a bus has \(CurveKeyPair.keyLength) characters, as 'cascadectl "
                    + "keygen' prints them")
        }
        guard let own = CurveKeyPair(fileText: try Self.text(ofFile: file)) else {
            throw Self.error("'\(file)' holds no key as 'cascadectl keygen' writes one")
        }
        self.serverKey = serverKey
        self.own = own
    }

    /// The keys for an endpoint that nobody has said any for: the bus's from `CASCADE_SERVER_KEY`,
    /// the worker's from the file `CASCADE_KEY_FILE`, or from systemd's credential `curve-key`.
    /// Returns `nil` for an endpoint on this machine, and without `CASCADE_SERVER_KEY`.
    public static func standard(for endpoint: String) throws -> BusKeys? {
        guard endpoint.hasPrefix("tcp://"), let serverKey = variable("CASCADE_SERVER_KEY") else {
            return nil
        }
        let credential = variable("CREDENTIALS_DIRECTORY").map { "\($0)/curve-key" }
        guard let file = variable("CASCADE_KEY_FILE") ?? credential else {
            throw error(
                "CASCADE_SERVER_KEY names the key of the bus, and CASCADE_KEY_FILE no file with "
                    + "one's own")
        }
        return try BusKeys(serverKey: serverKey, file: file)
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func text(ofFile path: String) throws -> String {
        guard let file = fopen(path, "re") else {
            throw error("cannot read the key in '\(path)': \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var status = stat()
        guard fstat(fileno(file), &status) == 0, status.st_mode & 0o077 == 0 else {
            throw error("others may read the key in '\(path)': chmod 600 it, and make a new one")
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    private static func error(_ message: String) -> CascadeError {
        CascadeError(.configuration, message, reason: .denied)
    }

    /// From here on, what the socket connects to has to be that bus.
    func secure(_ socket: borrowing Socket) throws(ZeroMQError) {
        try socket.set(.curveServerKey, serverKey)
        try socket.set(.curvePublicKey, own.publicKey)
        try socket.set(.curveSecretKey, own.secretKey)
    }
}
