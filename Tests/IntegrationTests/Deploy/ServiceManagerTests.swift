// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite struct ServiceManagerTests {
    /// `service_manager.py` opens the socket, starts and kills the daemon, and reads from it.
    @Test(.timeLimit(.minutes(1)))
    func `a daemon notifies its service manager and uses the manager's socket`() async throws {
        let file = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let program = try LineProgram(
            URL(filePath: "/usr/bin/env"),
            [
                "python3", "/\(file)/Python/service_manager.py",
                LineProgram.built("cascaded").path, LineProgram.built("cascadectl").path,
            ])
        try await program.line(with: "ok", "the socket is there for the next one")
        #expect(await program.exitCode() == 0)
    }
}
