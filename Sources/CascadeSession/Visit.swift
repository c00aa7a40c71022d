// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// A message as the code of a node sees it.
package struct Visit: Sendable {
    /// The node that is visited.
    package var node: NodePath
    package var name: EventName
    package var id: EventID
    /// The origin: the node that raised the message, or its publisher.
    package var origin: NodePath
    package var isPublication: Bool
    /// Whether the publication was retained and is older than the subscription.
    package var isRetained: Bool
    /// Whether the origin has sent the message again, so that it may have been here before.
    package var isRedelivered: Bool
    /// The lane; without meaning for a publication.
    package var lane: Lane
    /// The error, in the error lane.
    package var failure: Failure?
    /// The number of messages in the causal chain before this one.
    package var causes: UInt16
    /// The trace and span in which the message was raised.
    package var traceParent: TraceParent?
    package var attributes: [Attribute]
    /// The content type of the payload; `nil` for JSON.
    package var contentType: String?
    /// The time that the bus waits for the verdict, in milliseconds from the sending of the visit.
    package var millisecondsLeft: UInt32
    /// The payload as the origin sent it.
    package var payload: ArraySlice<UInt8>
}
