// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Logging
import SystemdService
import ZeroMQ

/// Stores the handover for the next daemon, so that it survives any end of this one.
///
/// A change is stored before a peer learns of it, unless changes are so frequent that storing them
/// would take up the broker's time: then they are stored a moment later, together.
final class HandoverKeeper {
    /// The part of the state that is stored.
    enum Content {
        /// The whole state for a daemon that follows at once.
        case everything
        /// The values set for paths.
        case values
    }

    /// Stores bytes in place of the previous ones. Returns why it could not; `nil` if it did.
    typealias Store = ([UInt8]) -> String?

    private let store: Store
    private let content: Content
    private var version: UInt64?
    private var earliest = Instant(nanoseconds: 0)
    private var isPending = false
    private var hasFailed = false

    /// Writing may take one part in this many of the broker's time. A bus of a few nodes waits a
    /// millisecond or two between writes, one of ten thousand nodes a quarter of a second.
    private static let share: UInt64 = 50
    /// The nanoseconds after which a store that has failed is tried again.
    private static let retryPause: UInt64 = 1_000_000_000

    init(_ content: Content, store: @escaping Store) {
        self.content = content
        self.store = store
    }

    private func version(of broker: borrowing Broker) -> UInt64 {
        switch content {
        case .everything: broker.handoverVersion
        case .values: broker.storedValuesVersion
        }
    }

    /// When a pending change is stored.
    var next: Instant? {
        isPending ? earliest : nil
    }

    /// Stores changes if the time for it has come. Returns why it could not at the first failure only, and tries
    /// again later.
    func keep(_ broker: borrowing Broker, at now: Instant) -> String? {
        guard version(of: broker) != version else {
            return nil
        }
        guard now >= earliest else {
            isPending = true
            return nil
        }
        return keepNow(broker, at: now)
    }

    func keepNow(_ broker: borrowing Broker, at now: Instant) -> String? {
        let start = MonotonicClock.now()
        let failure =
            switch content {
            case .everything: store(broker.handover().encoded())
            case .values: store(broker.storedValues().encoded())
            }
        let cost = MonotonicClock.now() - start
        let pause = failure == nil ? 0 : Self.retryPause
        earliest = Instant(nanoseconds: now.nanoseconds + max(pause, cost * Self.share))
        isPending = failure != nil
        defer { hasFailed = failure != nil }
        guard let failure else {
            version = version(of: broker)
            return nil
        }
        return hasFailed ? nil : failure
    }
}

/// The handover of the previous daemon.
enum Predecessor {
    /// Restores the previous daemon's handover in the broker. Returns whether it did, and the keeper
    /// of the handover for the next daemon; `nil` without a descriptor store.
    static func handover(
        to broker: inout Broker, of serviceEnvironment: ServiceEnvironment, _ logger: Logger
    ) -> (keeper: HandoverKeeper?, isRestored: Bool) {
        guard let state = serviceEnvironment.state else {
            let memory = newMemory(serviceEnvironment, logger)
            return (memory.map(keeper(of:)), false)
        }
        let memory = StateMemory(state)
        var isRestored = false
        do {
            if let bytes = memory.read() {
                let handover = try Handover(decoding: bytes)
                broker.restore(handover)
                isRestored = true
                logger.log(LogRecord(.info, .tookOver, "took over \(handover)"))
            }
        } catch {
            logger.log(
                LogRecord(
                    .error, .stateLost,
                    "the handover of the previous daemon cannot be read: \(error)"))
        }
        return (keeper(of: memory), isRestored)
    }

    private static func keeper(of memory: StateMemory) -> HandoverKeeper {
        HandoverKeeper(.everything) { bytes in
            memory.write(bytes)
                ? nil
                : "cannot allocate memory for the handover; the daemon tries again each second, and a daemon that "
                    + "follows before it succeeds has no new places and values"
        }
    }

    /// Restores the values in a state directory, unless the handover has them. Returns the keeper of
    /// the values for the next daemon; `nil` if their file cannot be used.
    ///
    /// - Parameter hasHandover: Whether a handover was restored, whose values are the latest.
    static func values(
        to broker: inout Broker, in directory: String, hasHandover: Bool, _ logger: Logger
    ) -> HandoverKeeper? {
        let file = ValuesFile(path: directory + "/values")
        do {
            if let bytes = try file.read(), !hasHandover {
                let stored = try Handover(decoding: bytes)
                broker.restoreValues(stored)
                if stored.valueCount > 0 {
                    logger.log(
                        LogRecord(
                            .info, .tookOver,
                            "restored the values in \(file.path): \(stored.valueCount)"))
                }
            }
            return HandoverKeeper(.values) { bytes in
                do {
                    try file.write(bytes)
                    return nil
                } catch {
                    return
                        "cannot store the values that were set for paths: \(error); the file keeps the former "
                        + "ones, and the daemon tries again each second"
                }
            }
        } catch {
            logger.log(
                LogRecord(
                    .error, .stateLost,
                    "the values in \(file.path) cannot be read, and new ones are not stored: "
                        + "\(error); move the file away and restart the daemon"))
            return nil
        }
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
