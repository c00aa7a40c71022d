// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Values derived from a propagation's state.
extension Propagation {
    // MARK: - The visit

    /// The delivery to the node that has the event or whose queue it is in; otherwise `nil`.
    var delivery: DeliveryIndex? {
        switch stage {
        case .queued(let delivery), .visiting(let delivery), .revoked(let delivery, _): delivery
        case .writing, .following, .moving, .rejected, .parked: nil
        }
    }

    /// How many stops the visit under way covers.
    var stopCount: Int {
        visited.count
    }

    /// One of the stops that the visit under way covers.
    func stop(_ place: Int) -> Stop {
        visited[place]
    }

    /// The stops that the visit under way covers; empty without one.
    var stops: [Stop] {
        switch stage {
        case .visiting, .revoked: visited.all
        case .writing, .following, .moving, .queued, .rejected, .parked: []
        }
    }

    /// Whether the visit under way has stops behind its first.
    var hasLaterStops: Bool {
        switch stage {
        case .visiting, .revoked: visited.count > 1
        case .writing, .following, .moving, .queued, .rejected, .parked: false
        }
    }

    // MARK: - The message

    func isParked(_ reason: Stage.Reason) -> Bool {
        if case .parked(reason) = stage { true } else { false }
    }

    /// The nodes that have replaced the original payload, by transforming it or by failing.
    var transformers: [NodePath] {
        var paths = formerTransformers
        for path in trail.transformers where !paths.contains(path) {
            paths.append(path)
        }
        return paths
    }

    /// Whether the outcome consists of a header alone, as most do.
    var isSaidByHeader: Bool {
        !message.flags.contains(.wantsTrail) && ran.isEmpty && handler == nil
    }

    /// How long it has taken.
    func microseconds(at now: Instant) -> UInt32 {
        UInt32(clamping: now.microseconds(since: startedAt))
    }

    /// The name that it was raised under, if the message had it as text.
    var firstText: EventName? {
        message.words?.raised.name
    }

    /// Until when it is held without a handler; `nil` if it is not to be held.
    var holdDeadline: Instant? {
        message.holdMilliseconds.map { startedAt.advanced(byMilliseconds: $0) }
    }
}
