// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// The end of a bridge that is asked to stop.
extension Bridge {
    /// Detaches the mount and `/`, and closes the link. The owner then closes the connection to the site's own
    /// bus, and calls nothing more.
    package mutating func leave(
        _ reason: String, at now: Duration, into effects: inout [BridgeEffect]
    ) {
        let hadLink = phase == .up || above.state == .welcomed
        if let mount = paths?.mount, let node = above.number(of: mount) {
            above.send(Leave(request: nextRequest(), node: node), into: &aboveEffects)
        }
        if let node = home.number(of: .root) {
            home.send(Leave(request: nextRequest(), node: node), into: &homeEffects)
        }
        finish(at: now, into: &effects)
        if hadLink {
            effects.append(.closeLink(reason))
        }
        phase = .none(dialsAt: nil)
    }
}

// MARK: - What the owner reads

extension Bridge {
    /// Whether the bridge holds `/` of the site's own bus.
    package var holdsRoot: Bool {
        isRootHeld
    }

    /// The names of the sites above, the root site first; empty at the root site, and while they are unknown.
    package var namesAboveSite: [String] {
        sitesAbove
    }

    /// Whether so many bytes of deliveries wait that the link should carry no more for now.
    package var isFullOfDeliveries: Bool {
        above.visitByteCount > Self.deliveryByteCountMax
    }

    private static let deliveryByteCountMax = 32 << 20

    /// The time that a message and its answer take to the parent and back; `nil` without a link.
    package var roundTrip: Duration? {
        phase == .up ? terms?.roundTrip : nil
    }
}
