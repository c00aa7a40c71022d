// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The state that a daemon passes to its successor: state that peers do not restore by attaching
/// again.
///
/// Instants are of the monotonic clock that both daemons share.
package struct Handover: Equatable, Sendable {
    /// The rank of the node that was activated last.
    var lastRank: UInt64 = 0
    /// Depth first, children in the order in which they came there; without the root.
    var places: [Place] = []
    /// The values set for paths, from outside or as sticky values; the oldest first.
    var values: [Value] = []
    /// Oldest first.
    var undelivered: [UndeliveredEvent] = []

    package init() {}

    /// The number of values set for paths.
    package var valueCount: Int {
        values.count
    }

    /// The undelivered events, oldest first.
    package var undeliveredIDs: [EventID] {
        undelivered.map(\.id)
    }

    struct Place: Equatable, Sendable {
        /// 1 for the children of the root.
        var depth: UInt16
        var component: String
        var isHeld: Bool
        /// Whether its path is reserved for its former holder.
        var isInGrace: Bool
        var isPresented: Bool
        var detachesOrphans: Bool
        /// Whether it stands for a bus below it.
        var isMount = false
        /// The user of its present or last holder; `nil` if it was never held.
        var owner: Owner?
        /// The session that holds it, or would have it back as it was.
        var former: FormerHolder?
        /// Since when it is vacant.
        var since: Instant
    }

    struct Value: Equatable, Sendable {
        var path: NodePath
        var key: EventName
        var json: String
        var isSticky: Bool
        var isForItself: Bool
        var since: Instant
        var author: Provenance
        /// The account charged for it; `nil` if written by a daemon that recorded only the user.
        var owner: Owner?
        /// Whether it is read only where neither a value nor a rule gives one.
        var isFallback = false
        /// Where it comes from, if that is another bus.
        var source: String?
    }
}

/// The session that held a place when the previous daemon ended. The same session gets the place
/// back unchanged; for every other session the place is vacant.
struct FormerHolder: Equatable, Sendable {
    var session: SessionIdentity
    var rank: UInt64
    var isActive: Bool
    /// The declared state of activation. A different declaration at the next attach overrides the
    /// handover.
    var isDeclaredActive: Bool
}

/// The kinds of records in an encoded ``Handover``. A reader skips unknown records, and unknown
/// fields at the end of known ones, so that daemons of older and newer releases can read each
/// other's.
enum HandoverRecord: UInt8 {
    case ranks = 1
    case place = 2
    case value = 3
    case undelivered = 4
}

/// Why bytes are no ``Handover``, in words for a person.
package struct HandoverError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension Handover: CustomStringConvertible {
    package var description: String {
        let held = places.count { $0.isHeld }
        return "\(held) held and \(places.count - held) vacant places, \(values.count) values, "
            + "\(undelivered.count) undelivered events"
    }
}
