// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A user that is not the tests' own, played by whoever may play any user.
@FaultThread
enum OtherUser {
    /// Whether these tests may run programs as somebody else.
    nonisolated static var isPossible: Bool {
        geteuid() == 0
    }

    static let userID: UInt32 = 65_534

    /// The words before a command that has another user run it.
    static let words = [
        "/usr/bin/setpriv", "--reuid=\(userID)", "--regid=\(userID)", "--clear-groups",
    ]

    /// Starts `cascadectl` as the other user.
    static func start(_ arguments: [String], on bus: FaultBus) throws -> SpawnedProgram {
        let program = try SpawnedProgram.path(of: "cascadectl")
        return try SpawnedProgram(
            words[0], words.dropFirst() + [program] + arguments, bus: bus.endpoint)
    }

    /// Lets everybody use the bus.
    static func admit(to bus: FaultBus) {
        chmod(bus.socketPath, 0o666)
    }
}
