// SPDX-License-Identifier: Apache-2.0

/// The flags of a message, one byte. Bits that a command does not name are zero and ignored.
@usableFromInline
package struct HeaderFlags: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8

    @inlinable
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// trigger: start at the node itself, not at its parent.
    @inlinable package static var includingSelf: HeaderFlags { HeaderFlags(rawValue: 1 << 0) }
    /// administer: what is below the node is concerned too.
    @inlinable package static var withSubtree: HeaderFlags { HeaderFlags(rawValue: 1 << 0) }
    /// trigger: a node lost after it accepted the event is skipped.
    @inlinable package static var passOnLoss: HeaderFlags { HeaderFlags(rawValue: 1 << 1) }
    /// outcome: its payload is the reply to a request.
    @inlinable package static var carriesReply: HeaderFlags { HeaderFlags(rawValue: 1 << 1) }
    /// trigger, publish: the caller does not wait for the outcome, none is sent.
    /// visit, delivery: no accept and no verdict is sent, only credit.
    @inlinable package static var unacknowledged: HeaderFlags { HeaderFlags(rawValue: 1 << 2) }
    /// trigger: the outcome is to list the visits.
    @inlinable package static var wantsTrail: HeaderFlags { HeaderFlags(rawValue: 1 << 3) }
    /// trigger, publish: the fields name what the header's numbers do not (a name, a path).
    @inlinable package static var addressedInFields: HeaderFlags { HeaderFlags(rawValue: 1 << 4) }
    /// verdict: the node's next visit, in the order of delivery, has begun.
    @inlinable package static var nextAccepted: HeaderFlags { HeaderFlags(rawValue: 1 << 5) }
    /// query: answer again whenever the answer changes.
    @inlinable package static var repeating: HeaderFlags { HeaderFlags(rawValue: 1 << 6) }
    /// trigger, publish: it was raised on a connection before, and has had no outcome there.
    /// visit, delivery: its origin has sent it again, so it may have been here before.
    @inlinable package static var sentAgain: HeaderFlags { HeaderFlags(rawValue: 1 << 6) }

    /// trigger: it is kept on disk from before it is accepted until its origin has its outcome.
    @inlinable package static var durable: HeaderFlags { HeaderFlags(rawValue: 1 << 7) }
    /// publish: the value is kept for subscribers that come later.
    /// delivery: the value was published before the subscriber came.
    @inlinable package static var retained: HeaderFlags { HeaderFlags(rawValue: 1 << 7) }

    /// Whether all of `flags` are set. Written out, because the general way of option sets is not
    /// specialized across modules.
    @inlinable
    package func contains(_ flags: HeaderFlags) -> Bool {
        rawValue & flags.rawValue == flags.rawValue
    }
}
