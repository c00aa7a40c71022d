// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The oldest events under way, the oldest first. Held events are not among them.
package struct UnderWayDocument: InspectionDocument {
    package static let schemaName = "cascade/v1/underWay"

    package private(set) var schema = DocumentSchema<Self>()
    /// The number of all events under way, with those that are held.
    package var count: UInt64
    package var underWay: [Entry]

    /// An event under way.
    package struct Entry: Codable, Hashable, Sendable {
        package var id: EventID
        package var name: EventName
        package var lane: DocumentWord<Lane>
        /// `nil` if the reader may not see it, as with ``by``.
        package var origin: NodePath?
        /// The node that has the event; `nil` if none has it.
        package var by: NodePath?
        /// When it was raised.
        package var begun: Timestamp
        /// When it was sent to the node that has it; when it was raised if none has it.
        package var since: Timestamp
        /// When it ends, or goes on without the node that has it.
        package var deadline: Timestamp?
    }
}

extension InspectionQuery<UnderWayDocument> {
    /// The oldest events under way, and who has them.
    package static var underWay: Self {
        Self(.underWay)
    }
}
