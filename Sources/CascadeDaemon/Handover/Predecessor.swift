// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Logging
import SystemdService

/// The daemon before this one, and what it has left.
enum Predecessor {
    /// Has the broker begin where the one before ended. Returns where the next one will look; `nil`
    /// where nobody would keep it.
    static func handover(
        to broker: inout Broker, of surroundings: ServiceSurroundings, _ logger: Logger
    ) -> HandoverKeeper? {
        guard let state = surroundings.state else {
            return newMemory(surroundings, logger).map { HandoverKeeper($0) }
        }
        let memory = StateMemory(state)
        do {
            if let bytes = memory.read() {
                let handover = try Handover(decoding: bytes)
                broker.restore(handover)
                logger.log(LogRecord(.info, .tookOver, "took over \(handover)"))
            }
        } catch {
            logger.log(
                LogRecord(
                    .error, .stateLost,
                    "what the daemon before has left cannot be read: \(error)"))
        }
        return HandoverKeeper(memory)
    }

    private static func newMemory(
        _ surroundings: ServiceSurroundings, _ logger: Logger
    ) -> StateMemory? {
        guard let notifier = surroundings.notifier else {
            return nil
        }
        guard let memory = StateMemory(),
            notifier.send(
                ["FDSTORE=1", "FDNAME=\(ServiceSurroundings.stateName)"],
                descriptor: memory.descriptor)
        else {
            logger.log(
                LogRecord(
                    .warning, .stateLost,
                    "places and values will not be kept for the next daemon"))
            return nil
        }
        return memory
    }
}
