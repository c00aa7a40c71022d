// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// An event visits ancestors of its origin only, the nearest first, and none of their responders
/// twice.
///
/// What is held or waits for nodes that are expected back starts again, and a move changes what
/// paths mean: those are exempt.
struct PathOracle {
    private struct Climb {
        var origin: NodePath?
        var isExempt: Bool
        var moveCount: Int
        /// Where it was handed to last.
        var last: (path: NodePath, responder: UInt16)?
    }

    private var climbs: [EventID: Climb] = [:]
    private var moveCount = 0

    mutating func moved() {
        moveCount += 1
    }

    /// The daemon has the event, maybe not for the first time.
    mutating func raised(_ event: EventID, from origin: NodePath?, isExempt: Bool) {
        let isAgain = climbs[event] != nil
        climbs[event] = Climb(
            origin: origin, isExempt: isExempt || isAgain, moveCount: moveCount)
    }

    /// The daemon hands it to a session, for one stop or several.
    mutating func visits(
        _ event: EventID, _ stops: [(path: NodePath?, responder: UInt16)]
    ) -> Finding? {
        guard let climb = climbs[event], !climb.isExempt, climb.moveCount == moveCount else {
            return nil
        }
        var last = climb.last
        for (place, stop) in stops.enumerated() {
            guard let path = stop.path else {
                return Finding("path", "a stop at a node that nobody holds", event: event)
            }
            if let origin = climb.origin, !path.contains(origin) {
                return Finding("path", "\(path) is not above \(origin)", event: event)
            }
            if let last, !Self.isBeyond(path, stop.responder, last) {
                return Finding(
                    "path", "\(path) is asked (\(stop.responder)) after \(last.path) "
                        + "(\(last.responder))", event: event)
            }
            last = (path, stop.responder)
            // It may come back from any of them, and goes on right behind that one.
            if place == 0 {
                climbs[event]?.last = last
            }
        }
        return nil
    }

    private static func isBeyond(
        _ path: NodePath, _ responder: UInt16, _ last: (path: NodePath, responder: UInt16)
    ) -> Bool {
        path == last.path
            ? responder > last.responder : path.depth < last.path.depth && path.contains(last.path)
    }
}
