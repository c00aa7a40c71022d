// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// An event visits ancestors of its origin only, the nearest first, and none of their responders
/// twice.
///
/// What is held or waits for nodes that are expected back starts again, and a move changes what
/// paths mean: those are exempt.
struct PathOracle {
    private struct Climb {
        var origin: NodePath?
        /// Whether the origin itself may be asked.
        var asksOrigin: Bool
        var isExempt: Bool
        var moveCount: Int
        /// Where it was handed to last, and whom.
        var last: Stop?
        var holder: PeerID?
    }

    struct Stop {
        /// `nil` for a node that nobody holds.
        var path: NodePath?
        var responder: UInt16
    }

    private var climbs: [EventID: Climb] = [:]
    private var moveCount = 0

    mutating func moved() {
        moveCount += 1
    }

    /// The daemon has the event, maybe not for the first time.
    mutating func raised(
        _ event: EventID, from origin: NodePath?, asksOrigin: Bool, isExempt: Bool
    ) {
        let isAgain = climbs[event] != nil
        climbs[event] = Climb(
            origin: origin, asksOrigin: asksOrigin, isExempt: isExempt || isAgain,
            moveCount: moveCount)
    }

    /// The daemon hands it to a session, for one stop or several.
    mutating func visits(_ event: EventID, _ stops: [Stop], of holder: PeerID) -> Finding? {
        guard let climb = climbs[event], !climb.isExempt, climb.moveCount == moveCount else {
            return nil
        }
        var last = climb.last
        var isHeirs = climb.holder != holder
        climbs[event]?.holder = holder
        for (place, stop) in stops.enumerated() {
            if let sentence = Self.fault(of: stop, climb) {
                return Finding("path", sentence, event: event)
            }
            if let last, !Self.isBeyond(stop, last, isHeirs: isHeirs) {
                return Finding(
                    "path",
                    "responder \(stop.responder) of \(stop.path ?? .root) is asked after "
                        + "\(last.responder) of \(last.path ?? .root)", event: event)
            }
            last = stop
            isHeirs = false
            // It may come back from any of them, and goes on right behind that one.
            if place == 0 {
                climbs[event]?.last = last
            }
        }
        return nil
    }

    /// What is wrong with the stop, wherever the event has been before.
    private static func fault(of stop: Stop, _ climb: Climb) -> String? {
        guard let path = stop.path else {
            return "a stop at a node that nobody holds"
        }
        guard let origin = climb.origin else {
            return nil
        }
        if !path.contains(origin) {
            return "\(path) is not above \(origin)"
        }
        return !climb.asksOrigin && path == origin ? "\(path) is asked about its own" : nil
    }

    /// Whoever takes over a node that has not begun is asked in its place.
    private static func isBeyond(_ stop: Stop, _ last: Stop, isHeirs: Bool) -> Bool {
        guard let path = stop.path, let lastPath = last.path, path != lastPath else {
            return stop.responder > last.responder || (isHeirs && stop.responder == last.responder)
        }
        return path.contains(lastPath)
    }
}
