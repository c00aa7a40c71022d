// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// An event visits only ancestors of its origin, the nearest first, and no responder twice.
///
/// Excluded are events that are held or wait for nodes after a restart, since they start again, and
/// events that were under way when a place was moved.
struct PathOracle {
    private struct Climb {
        var origin: NodePath?
        /// Whether responders of the origin may be visited.
        var asksOrigin: Bool
        var isExempt: Bool
        var moveCount: Int
        /// The last visited stop, and its holder.
        var last: Stop?
        var holder: PeerID?
    }

    struct Stop {
        /// `nil` for a node without a holder.
        var path: NodePath?
        var responder: UInt16
    }

    private var climbs: [EventID: Climb] = [:]
    private var moveCount = 0

    mutating func moved() {
        moveCount += 1
    }

    /// The daemon has received the event, possibly again.
    mutating func raised(
        _ event: EventID, from origin: NodePath?, asksOrigin: Bool, isExempt: Bool
    ) {
        let isAgain = climbs[event] != nil
        climbs[event] = Climb(
            origin: origin, asksOrigin: asksOrigin, isExempt: isExempt || isAgain,
            moveCount: moveCount)
    }

    /// The daemon sends a visit of one or several stops to a session.
    mutating func visits(_ event: EventID, _ stops: [Stop], of holder: PeerID) -> Finding? {
        guard let climb = climbs[event], !climb.isExempt, climb.moveCount == moveCount else {
            return nil
        }
        var last = climb.last
        var isNewHolder = climb.holder != holder
        climbs[event]?.holder = holder
        for (place, stop) in stops.enumerated() {
            if let sentence = Self.fault(of: stop, climb) {
                return Finding("path", sentence, event: event)
            }
            if let last, !Self.isBeyond(stop, last, isNewHolder: isNewHolder) {
                return Finding(
                    "path",
                    "responder \(stop.responder) of \(stop.path ?? .root) is asked after "
                        + "\(last.responder) of \(last.path ?? .root)", event: event)
            }
            last = stop
            isNewHolder = false
            // The event may return from any of the stops, and continues after that one.
            if place == 0 {
                climbs[event]?.last = last
            }
        }
        return nil
    }

    /// The fault of the stop itself, regardless of earlier stops.
    private static func fault(of stop: Stop, _ climb: Climb) -> String? {
        guard let path = stop.path else {
            return "a stop at a node without a holder"
        }
        guard let origin = climb.origin else {
            return nil
        }
        if !path.contains(origin) {
            return "\(path) is not above \(origin)"
        }
        return !climb.asksOrigin && path == origin ? "\(path) is asked about its own event" : nil
    }

    /// Whether the stop follows the last one. A new holder is asked in place of one that had not
    /// begun.
    private static func isBeyond(_ stop: Stop, _ last: Stop, isNewHolder: Bool) -> Bool {
        guard let path = stop.path, let lastPath = last.path, path != lastPath else {
            return stop.responder > last.responder
                || (isNewHolder && stop.responder == last.responder)
        }
        return path.contains(lastPath)
    }
}
