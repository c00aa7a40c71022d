// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The system's bus.
package enum SystemBus {
    package static let socketPath = "/run/cascade/bus.sock"
    /// The endpoint of the bus, in ZeroMQ's notation.
    package static let endpoint = "ipc://\(socketPath)"
}

/// The directory of a user's own bus. The daemon and its clients derive the same one from their
/// environment.
///
/// It is `$XDG_RUNTIME_DIR/cascade`. Without that variable, as in a container, it is `cascade-UID` in
/// the temporary directory, where other users may have created it first. Then it is used only if it
/// belongs to the user and has mode 0700.
package struct UserBusDirectory: Equatable, Sendable {
    package let path: String
    /// The owner that the directory must have.
    private let userID: UInt32
    /// Whether other users can create files beside the directory.
    private let isShared: Bool

    /// - Parameters:
    ///   - userID: The user whose bus it is.
    ///   - variable: Returns the value of an environment variable.
    package init(userID: UInt32 = geteuid(), variable: (String) -> String? = Self.variable) {
        self.userID = userID
        if let runtime = variable("XDG_RUNTIME_DIR"), !runtime.isEmpty {
            path = "\(runtime)/cascade"
            isShared = false
        } else {
            let temporary = variable("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
            path =
                "\(temporary.hasSuffix("/") ? String(temporary.dropLast()) : temporary)"
                + "/cascade-\(userID)"
            isShared = true
        }
    }

    package static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The path of the bus's socket.
    package var socketPath: String {
        "\(path)/bus.sock"
    }

    /// The endpoint of the bus, in ZeroMQ's notation.
    package var endpoint: String {
        "ipc://\(socketPath)"
    }

    /// Whether the socket exists.
    package var hasSocket: Bool {
        access(socketPath, F_OK) == 0
    }

    /// The reason why the directory must not be used; `nil` if it may be used or does not exist.
    package var fault: UserBusDirectoryFault? {
        var status = stat()
        guard isShared, lstat(path, &status) == 0 else {
            return nil
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return UserBusDirectoryFault(
                "\(path) is not a directory; remove it or set XDG_RUNTIME_DIR", isOwn: false)
        }
        guard status.st_uid == userID else {
            return UserBusDirectoryFault(
                "\(path) belongs to user \(status.st_uid), not to user \(userID); remove it or set "
                    + "XDG_RUNTIME_DIR", isOwn: false)
        }
        guard status.st_mode & 0o7777 == 0o700 else {
            return UserBusDirectoryFault(
                "\(path) has mode 0\(String(status.st_mode & 0o7777, radix: 8)); 'chmod 0700' keeps "
                    + "other users out", isOwn: true)
        }
        return nil
    }

    /// Creates the directory with mode 0700 unless it exists. Throws ``UserBusDirectoryFault`` if
    /// it cannot be created or must not be used.
    package func create() throws(UserBusDirectoryFault) {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw UserBusDirectoryFault("\(SystemError("create \(path)"))", isOwn: true)
        }
        if let fault {
            throw fault
        }
    }
}

/// The reason why the directory of a user's own bus must not be used, and what to do about it.
package struct UserBusDirectoryFault: Error, Equatable, CustomStringConvertible {
    package let description: String
    /// Whether the user caused it. Another user can create the directory, but not change its mode.
    package let isOwn: Bool

    init(_ description: String, isOwn: Bool) {
        self.description = description
        self.isOwn = isOwn
    }
}
