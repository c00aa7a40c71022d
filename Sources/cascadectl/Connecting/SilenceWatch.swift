// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession

/// Answers the bus's beats while a command waits, and ends the wait when the bus is silent and the
/// time limit has passed. A bus that restarts in time is tolerated.
actor SilenceWatch {
    private let bus: Bus
    private let limit: TimeSpan
    private let isFinal: Bool
    private let connection: ConnectionWatch?
    private var lastSign = ContinuousClock.now
    /// The error with which the bus ended the session.
    private(set) var violation: CascadeError?

    /// - Parameter connection: The detection of a lost connection; with it, the command waits
    ///   without limit.
    init(bus: Bus, limit: TimeSpan, isFinal: Bool, connection: ConnectionWatch? = nil) {
        self.bus = bus
        self.limit = limit
        self.isFinal = isFinal
        self.connection = connection
    }

    /// Processes beats until the link ends.
    func attend() async {
        for await event in bus.link.work {
            switch event {
            case .beat(let beat):
                lastSign = .now
                connection?.heard()
                await bus.link.beatAnswered(beat)
            case .welcomed:
                lastSign = .now
            case .violated(let error):
                violation = error
            case .foundNobody, .invoke, .cancelled, .moved, .environment, .detached,
                .settledBefore, .reattachRefused:
                break
            }
        }
    }

    /// Closes the link after the limit unless the bus answers.
    func giveUpAfterLimit() async throws {
        let beat = Duration.milliseconds(Int(max(bus.welcome.beatMilliseconds, 100)))
        while let connection {
            try await Task.sleep(for: beat)
            connection.look()
        }
        try await Task.sleep(for: .milliseconds(Int(limit.milliseconds)))
        while !isFinal, ContinuousClock.now - lastSign < beat * 3 {
            try await Task.sleep(for: beat)
        }
        await bus.link.close(
            CascadeError(
                .notRunning, "the bus at \(bus.endpoint) did not answer within \(limit)",
                reason: .timedOut))
    }
}
