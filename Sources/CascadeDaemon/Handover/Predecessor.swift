// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Logging
import SystemdService

/// The handover of the previous daemon.
enum Predecessor {
    /// Restores the previous daemon's handover in the broker. Returns the keeper of the handover
    /// for the next daemon; `nil` without a descriptor store.
    static func handover(
        to broker: inout Broker, of serviceEnvironment: ServiceEnvironment, _ logger: Logger
    ) -> HandoverKeeper? {
        guard let state = serviceEnvironment.state else {
            return newMemory(serviceEnvironment, logger).map { HandoverKeeper($0) }
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
                    "the handover of the previous daemon cannot be read: \(error)"))
        }
        return HandoverKeeper(memory)
    }

    private static func newMemory(
        _ serviceEnvironment: ServiceEnvironment, _ logger: Logger
    ) -> StateMemory? {
        guard let notifier = serviceEnvironment.notifier else {
            return nil
        }
        guard let memory = StateMemory(),
            notifier.send(
                ["FDSTORE=1", "FDNAME=\(ServiceEnvironment.stateName)"],
                descriptor: memory.descriptor)
        else {
            logger.log(
                LogRecord(
                    .warning, .stateLost,
                    "cannot store places and values for the next daemon"))
            return nil
        }
        return memory
    }
}
