// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A user other than the tests' own, as which root can run programs.
@FaultThread
enum OtherUser {
    /// Whether the tests may run programs as another user.
    nonisolated static var isPossible: Bool {
        geteuid() == 0
    }

    static let userID: UInt32 = 65_534

    /// The words before a command that run it as another user, a member of the socket's group.
    static let words = [
        "/usr/bin/setpriv", "--reuid=\(userID)", "--regid=\(userID)", "--groups=0",
    ]

    /// Starts `cascadectl` as the other user.
    static func start(_ arguments: [String], on bus: FaultBus) throws -> SpawnedProgram {
        let program = try SpawnedProgram.path(of: "cascadectl")
        return try SpawnedProgram(
            words[0], words.dropFirst() + [program] + arguments, bus: bus.endpoint)
    }

    /// Admits every user to the bus.
    static func admit(to bus: FaultBus) {
        chmod(bus.socketPath, 0o666)
    }
}
