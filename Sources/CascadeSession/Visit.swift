// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// A message that visits a node of this session.
package struct Visit: Sendable {
    /// The node that is visited.
    package var node: NodePath
    package var name: EventName
    package var id: EventID
    /// The node that raised or published the message.
    package var origin: NodePath
    package var isPublication: Bool
    /// Whether the publication was retained before the node subscribed.
    package var isRetained: Bool
    /// The subscribers for which a delivery to a stand-in is meant; `nil` for a visit.
    package var reach: Reach?
    /// Whether the origin has redelivered the message, so that the node may have handled it before.
    package var isRedelivered: Bool
    /// Whether a node that is lost with the message is skipped. Known at `/` only.
    package var passesOnLoss: Bool
    /// Whether the origin wants to know the visits. Known at `/` only.
    package var wantsTrail: Bool
    /// The lane; `event` for a publication.
    package var lane: Lane
    /// The error, in the error lane; otherwise `nil`.
    package var failure: Failure?
    /// The length of the message's chain of causes.
    package var causes: UInt16
    /// The event or publication that caused the message; `nil` for none.
    package var cause: EventID?
    /// The trace and span in which the message was raised.
    package var traceParent: TraceParent?
    package var attributes: [Attribute]
    /// The content type of the payload; `nil` for JSON.
    package var contentType: String?
    /// The time for which the bus waits for the verdict, in milliseconds from the sending of the visit.
    package var millisecondsLeft: UInt32
    /// The payload as the origin sent it.
    package var payload: ArraySlice<UInt8>
}

// MARK: - Invocations

/// A responder or subscription to run. `Session.visit(_:)` returns its visit.
package struct Invocation: Sendable {
    package enum Target: Sendable, Equatable {
        /// The responder at this index in the node's list.
        case responder(Int)
        /// The node's subscription to the name.
        case subscription
    }

    /// The token to pass to `Session.finished` with the result.
    package var token: InvocationToken
    /// The node's number.
    package var node: UInt32
    package var target: Target
}

/// The identity of an invocation.
package struct InvocationToken: Hashable, Sendable {
    let index: UInt32
}

/// The result of a responder or a subscription.
package enum InvocationResult: Sendable {
    case passed
    case handled
    /// The reply to a request.
    case answered(Reply)
    case replaced(Raising)
    case failed(Failure, Reply? = nil)
    /// How the message ended on another bus, from a node that connects that bus.
    case remote(RemoteResult)
}

/// The verdict of a node that connects another bus, about a message that went on there.
package struct RemoteResult: Sendable {
    package var code: VerdictCode
    package var end: RemoteEnd
    package var failure: Failure?
    /// The reply to a request, or the payload of an error.
    package var reply: Reply?

    package init(
        _ code: VerdictCode, _ end: RemoteEnd = RemoteEnd(), failure: Failure? = nil,
        reply: Reply? = nil
    ) {
        self.code = code
        self.end = end
        self.failure = failure
        self.reply = reply
    }
}

/// A value sent with a verdict: the reply to a request, or the payload of an error.
package struct Reply: Sendable, Equatable {
    package var payload: [UInt8]
    /// The content type of the payload; `nil` for JSON.
    package var contentType: String?

    package init(payload: [UInt8], contentType: String? = nil) {
        self.payload = payload
        self.contentType = contentType
    }
}
