// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import LocalTransport
import ZeroMQ

/// The selection of a bus without an explicit endpoint.
public enum BusEndpoint {
    /// The endpoint in `CASCADE_BUS`; otherwise the user's bus, if its socket exists; otherwise the
    /// system's bus.
    ///
    /// The user's bus is `$XDG_RUNTIME_DIR/cascade/bus.sock`, and without that variable
    /// `cascade-UID/bus.sock` in the temporary directory.
    public static var standard: String {
        if let named = variable("CASCADE_BUS"), !named.isEmpty {
            return named
        }
        let own = UserBusDirectory()
        return own.hasSocket && own.fault == nil ? own.endpoint : system
    }

    /// The endpoint of the system's bus.
    package static let system = SystemBus.endpoint

    /// Checks the directory of the user's bus, unless `CASCADE_BUS` names another bus.
    ///
    /// Throws ``CascadeError`` with the code ``CascadeError/Code/configuration`` if the directory
    /// has a wrong mode; and if it belongs to another user, unless the system's bus exists. The user's
    /// bus then cannot be there, so the system's bus is the right one, and another user cannot
    /// keep a worker from it.
    package static func checkUserDirectory() throws {
        guard variable("CASCADE_BUS") ?? "" == "", let fault = UserBusDirectory().fault,
            fault.isOwn || access(SystemBus.socketPath, F_OK) != 0
        else {
            return
        }
        throw CascadeError(.configuration, "cannot use the user's bus: \(fault)")
    }

    /// Returns the error message for an endpoint that is none.
    package static func malformed(_ endpoint: String) -> String {
        let form = endpoint.hasPrefix("/") ? "ipc://\(endpoint)" : "ipc:///PATH or tcp://HOST:PORT"
        return "'\(endpoint.escapedForDisplay())' is not an endpoint: write \(form)"
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}

/// The keys for a bus on another machine (CURVE, ZeroMQ's RFC 26): the public key of the bus, and
/// the key pair of the worker, which the bus must have authorized.
package struct BusKeys: Sendable {
    private let serverKey: String
    private let own: CurveKeyPair

    /// Reads the worker's key pair from a file that `cascadectl keygen` wrote. Throws
    /// ``CascadeError`` if the file cannot be read, has no key, or is accessible to its group or
    /// other users.
    ///
    /// - Parameters:
    ///   - serverKey: The public key of the bus.
    ///   - file: The path of the file.
    package init(serverKey: String, file: String) throws {
        guard CurveKeyPair.isKey(serverKey) else {
            throw Self.error(
                "the public key of a bus has \(CurveKeyPair.keyLength) characters, as 'cascadectl "
                    + "keygen' prints them")
        }
        guard let own = CurveKeyPair(fileText: try Self.text(ofFile: file)) else {
            throw Self.error("'\(file)' is not a key file of 'cascadectl keygen'")
        }
        self.serverKey = serverKey
        self.own = own
    }

    /// Returns the default keys for an endpoint: the public key of the bus from
    /// `CASCADE_SERVER_KEY`, and the worker's key pair from the file `CASCADE_KEY_FILE` or
    /// systemd's credential `curve-key`. Returns `nil` for an endpoint on this machine, and without
    /// `CASCADE_SERVER_KEY`. Throws ``CascadeError`` if a key is missing or invalid.
    package static func standard(for endpoint: String) throws -> BusKeys? {
        guard endpoint.hasPrefix("tcp://"), let serverKey = variable("CASCADE_SERVER_KEY") else {
            return nil
        }
        let credential = variable("CREDENTIALS_DIRECTORY").map { "\($0)/curve-key" }
        guard let file = variable("CASCADE_KEY_FILE") ?? credential else {
            throw error(
                "CASCADE_SERVER_KEY is set, but the worker's own key is missing: set "
                    + "CASCADE_KEY_FILE to a file of 'cascadectl keygen'")
        }
        return try BusKeys(serverKey: serverKey, file: file)
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func text(ofFile path: String) throws -> String {
        guard let file = fopen(path, "re") else {
            throw error("cannot read the key in '\(path)': \(ErrorNumber(errno))")
        }
        defer { fclose(file) }
        var status = stat()
        guard fstat(fileno(file), &status) == 0, status.st_mode & 0o077 == 0 else {
            throw error(
                "other users may read the key in '\(path)': create a new one, with mode 0600")
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    private static func error(_ message: String) -> CascadeError {
        CascadeError(.configuration, message, reason: .denied)
    }

    /// Enables CURVE on a socket, which then connects to the bus of the server key only.
    func secure(_ socket: borrowing Socket) throws(ZeroMQError) {
        try socket.set(.curveServerKey, serverKey)
        try socket.set(.curvePublicKey, own.publicKey)
        try socket.set(.curveSecretKey, own.secretKey)
    }
}
