// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// The end of a bridge that is asked to stop.
extension Bridge {
    /// The requests to detach the mount and `/`; `nil` if none was sent, or once the bus has confirmed it.
    struct LeaveRequests: Sendable {
        var above: UInt64?
        var home: UInt64?
    }

    /// Detaches the mount and `/`. The owner goes on until ``isLeaving`` is false, or for a short time, and
    /// then calls ``close(_:at:into:)``: a bus that has not read the message would still hold the place, and
    /// refuse it to the site that starts next.
    package mutating func leave(at now: Duration, into effects: inout [BridgeEffect]) {
        if let mount = paths?.mount, let node = above.number(of: mount) {
            let request = nextRequest()
            leaveRequests.above = request
            above.send(Leave(request: request, node: node), into: &aboveEffects)
        }
        if let node = home.number(of: .root) {
            let request = nextRequest()
            leaveRequests.home = request
            home.send(Leave(request: request, node: node), into: &homeEffects)
        }
        finish(at: now, into: &effects)
    }

    /// Whether one of the two buses has not confirmed yet that the bridge has left.
    package var isLeaving: Bool {
        leaveRequests.above != nil && link.isOpen
            || leaveRequests.home != nil && home.state == .welcomed
    }

    /// Closes the link. The owner then closes the connection to the site's own bus, and calls nothing more.
    package mutating func close(
        _ reason: String, at now: Duration, into effects: inout [BridgeEffect]
    ) {
        if link.isOpen {
            effects.append(.closeLink(reason))
        }
        link.stopDialling()
        finish(at: now, into: &effects)
    }
}

// MARK: - What the owner reads

extension Bridge {
    /// Whether the bridge holds `/` of the site's own bus.
    package var holdsRoot: Bool {
        rootClaim.isHeld
    }

    /// The names of the sites above, the root site first; empty at the root site, and while they are unknown.
    package var namesAboveSite: [String] {
        environment.sites
    }

    /// Whether so many bytes of deliveries wait that the link should carry no more for now.
    package var isFullOfDeliveries: Bool {
        above.visitByteCount > Self.deliveryByteCountMax
    }

    private static let deliveryByteCountMax = 32 << 20

    /// The time that a message and its answer take to the parent and back; `nil` without a link.
    package var roundTrip: Duration? {
        link.isUp ? link.terms?.roundTrip : nil
    }
}
