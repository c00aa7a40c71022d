// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession

/// Answers the bus's beats while a command waits, and ends the wait when the bus has been silent
/// and the command's time has passed. A bus that restarts in time is waited for.
actor SilenceWatch {
    private let bus: Bus
    private let limit: TimeSpan
    private let isFinal: Bool
    private var lastSign = ContinuousClock.now

    init(bus: Bus, limit: TimeSpan, isFinal: Bool) {
        self.bus = bus
        self.limit = limit
        self.isFinal = isFinal
    }

    /// Notes every sign of life until the link ends.
    func attend() async {
        for await event in bus.link.work {
            switch event {
            case .beat(let beat):
                lastSign = .now
                await bus.link.beatAnswered(beat)
            case .welcomed:
                lastSign = .now
            case .foundNobody, .invoke, .cancelled, .moved, .environment, .detached,
                .settledBefore, .reattachRefused, .violated:
                break
            }
        }
    }

    /// Ends what the command waits for, after the limit, unless the bus is alive.
    func giveUpAfterLimit() async throws {
        try await Task.sleep(for: .milliseconds(Int(limit.milliseconds)))
        let beat = Duration.milliseconds(Int(max(bus.welcome.beatMilliseconds, 100)))
        while !isFinal, ContinuousClock.now - lastSign < beat * 3 {
            try await Task.sleep(for: beat)
        }
        await bus.link.close(
            CascadeError(
                .notRunning, "the bus at \(bus.endpoint) did not answer within \(limit)",
                reason: .timedOut))
    }
}
