// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging

extension Worker {
    /// Runs the worker until SIGTERM or SIGINT.
    ///
    /// Concurrent, because `@main` does not accept a function that runs on its caller's actor.
    @concurrent public static func main() async {
        let label = String(describing: Self.self)
        var logger = Logger(label: label)
        logger.handler = StreamLogHandler.standardError(label: label)
        let worker = Self()
        do {
            try await WorkerProcess(mount: mount, logger: logger) { worker.nodes }.run()
        } catch {
            logger.critical("\(error)")
            exit((error as? CascadeError)?.exitStatus ?? EXIT_FAILURE)
        }
    }
}
