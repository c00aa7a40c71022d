// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// After a restart of the daemon: what would end for want of somebody waits until whoever was there
/// before has come back, or is not expected any longer.
extension Broker {
    /// Tries again what may have found somebody in these nodes. An event starts again where
    /// it began: it may have passed the place of a node that was not back yet.
    mutating func retryAwaitingReattach(_ nodes: [UInt32]) {
        guard let waiting = awaitingReattach, !waiting.isEmpty else {
            return
        }
        awaitingReattach = []
        for subject in waiting {
            switch subject {
            case .event(let event) where mayRespond(nodes, to: event):
                move(
                    event, to: propagations[event].start, cursor: propagations[event].startCursor)
                advance(event)
            case .event:
                awaitingReattach?.append(subject)
            case .publication(let publication):
                deliver(publication)
            }
        }
    }

    private mutating func mayRespond(_ nodes: [UInt32], to event: UInt32) -> Bool {
        resolveName(ofEvent: event)
        let name = propagations[event].name
        return nodes.contains { node in
            isOnPath(node, of: event)
                && Router.stop(for: name, at: node, from: 0, in: hierarchy) != nil
        }
    }

    /// Whoever has not come back by now is not waited for any longer.
    mutating func reattachEnded() {
        let waiting = awaitingReattach ?? []
        awaitingReattach = nil
        for subject in waiting {
            switch subject {
            case .event(let event): advance(event)
            case .publication(let publication): deliver(publication)
            }
        }
    }
}
