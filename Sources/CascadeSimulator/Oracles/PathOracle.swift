// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Checks that an event visits only ancestors of its origin, the nearest first, and no responder twice.
///
/// Excluded are events that are held or wait for nodes after a restart, because they start again, and
/// events that were under way when a place was moved.
struct PathOracle {
    private struct Progress {
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

    private var progress: [EventID: Progress] = [:]
    private var moveCount = 0

    mutating func moved() {
        moveCount += 1
    }

    /// Records that the daemon has received the event, possibly again.
    mutating func raised(
        _ event: EventID, from origin: NodePath?, asksOrigin: Bool, isExempt: Bool
    ) {
        let isRepeated = progress[event] != nil
        progress[event] = Progress(
            origin: origin, asksOrigin: asksOrigin, isExempt: isExempt || isRepeated,
            moveCount: moveCount)
    }

    /// Records that the daemon sends a visit of one or several stops to a session. Returns a finding if a
    /// stop violates the rule.
    mutating func sent(_ event: EventID, _ stops: [Stop], of holder: PeerID) -> Finding? {
        guard let before = progress[event], !before.isExempt, before.moveCount == moveCount else {
            return nil
        }
        var last = before.last
        var isNewHolder = before.holder != holder
        progress[event]?.holder = holder
        for (index, stop) in stops.enumerated() {
            if let sentence = Self.fault(of: stop, before) {
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
            // Any of the stops may answer, and the event continues after that one.
            if index == 0 {
                progress[event]?.last = last
            }
        }
        return nil
    }

    /// Returns the fault of the stop itself, regardless of earlier stops; `nil` for none.
    private static func fault(of stop: Stop, _ progress: Progress) -> String? {
        guard let path = stop.path else {
            return "a stop at a node without a holder"
        }
        guard let origin = progress.origin else {
            return nil
        }
        if !path.contains(origin) {
            return "\(path) is not above \(origin)"
        }
        return !progress.asksOrigin && path == origin
            ? "\(path) is asked about its own event" : nil
    }

    /// Whether the stop follows the last one. A new holder may be asked about the same responder as a
    /// former one that had not begun.
    private static func isBeyond(_ stop: Stop, _ last: Stop, isNewHolder: Bool) -> Bool {
        guard let path = stop.path, let lastPath = last.path, path != lastPath else {
            return stop.responder > last.responder
                || (isNewHolder && stop.responder == last.responder)
        }
        return path.contains(lastPath)
    }
}
