// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// An event or a publication as the code of a node sees it.
package struct Visit: Sendable {
    /// Whose code is to run.
    package var node: NodePath
    package var name: EventName
    package var id: EventID
    /// Where it comes from: the node that raised it, or its publisher.
    package var origin: NodePath
    package var isPublication: Bool
    /// Whether it was published before the subscriber came.
    package var isRetained: Bool
    /// Whether its origin has sent it again, so that it may have been here before.
    package var isRedelivered: Bool
    /// Which responders it meets; of no meaning for a publication.
    package var lane: Lane
    /// The error, in the lane of errors.
    package var failure: Failure?
    /// How many causes it has had.
    package var causes: UInt16
    /// What it was raised within.
    package var traceParent: TraceParent?
    package var attributes: [Attribute]
    /// What the payload is; `nil` for JSON.
    package var contentType: String?
    /// How long the bus waits for the verdict, in milliseconds, counted from its departure.
    package var millisecondsLeft: UInt32
    /// The bytes that were raised or published.
    package var payload: ArraySlice<UInt8>
}
