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
    /// What is kept for paths: set from outside, or sticky. The oldest first.
    var values: [Value] = []
    /// Oldest first.
    var undelivered: [UndeliveredEvent] = []

    package init() {}

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
        /// The user who holds it, or held it last; `nil` if it was never held.
        var owner: Owner?
        /// Who holds it, or would have it back as it was.
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
        var author: Author
        /// To whom it is charged; `nil` in what a daemon wrote that said only the user.
        var owner: Owner?
    }
}
