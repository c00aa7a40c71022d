// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import UnixSignals

extension Worker {
    /// Runs the worker until SIGTERM or SIGINT asks it to leave.
    public static func main() async {
        var logger = Logger(label: String(describing: Self.self))
        logger.handler = StreamLogHandler.standardError(label: logger.label)
        let worker = Self()
        let process = WorkerProcess(nodes: worker.body, mount: mount, logger: logger)
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        do {
            try await process.run {
                for await _ in signals {
                    return
                }
            } onAttached: { [logger] in
                logger.info("attached under \(mount)")
            }
        } catch {
            logger.critical("\(error)")
            exit(1)
        }
    }
}
