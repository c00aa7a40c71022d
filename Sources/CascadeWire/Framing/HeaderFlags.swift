// SPDX-License-Identifier: Apache-2.0

/// The flags of a message, one byte. Bits that a command does not name are zero and ignored.
package struct HeaderFlags: OptionSet, Sendable {
    package let rawValue: UInt8

    @inlinable
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// trigger: start at the node itself, not at its parent.
    package static let includingSelf = HeaderFlags(rawValue: 1 << 0)
    /// trigger: a node lost after it accepted the event is skipped.
    package static let passOnLoss = HeaderFlags(rawValue: 1 << 1)
    /// trigger, publish: nobody waits for the outcome, none is sent.
    /// visit, delivery: no accept and no verdict is sent, only credit.
    package static let unacknowledged = HeaderFlags(rawValue: 1 << 2)
    /// trigger: the outcome is to list the visits.
    package static let wantsTrail = HeaderFlags(rawValue: 1 << 3)
    /// trigger, publish: the fields name what the header's numbers do not (a name, a path).
    package static let addressedInFields = HeaderFlags(rawValue: 1 << 4)
    /// visit: a second frame lists the stops.
    package static let hasItinerary = HeaderFlags(rawValue: 1 << 5)
    /// verdict: the node's next visit, in the order of delivery, has begun.
    package static let nextAccepted = HeaderFlags(rawValue: 1 << 6)
    /// query: answer again whenever the answer changes.
    package static let repeating = HeaderFlags(rawValue: 1 << 7)
}
