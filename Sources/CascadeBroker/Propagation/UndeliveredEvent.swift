// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// An undelivered event, stored whole: it no longer needs its message.
struct UndeliveredEvent: Equatable, Sendable {
    var id: EventID
    /// Whether its session has proved its ID by a secret.
    var isProven = false
    var name: EventName
    var lane: Lane
    /// Who raised it, and where it would start again.
    var origin: NodePath
    var start: NodePath
    var startCursor: UInt16
    var causes: UInt16
    var milliseconds: UInt32
    var endedAt: Instant
    var reason: OutcomeCode
    /// Whether sessions died with it, so that it was stopped.
    var isQuarantined: Bool
    /// The user who triggered it; `nil` where that is not known.
    var owner: Owner?
    /// The nodes that have replaced the original payload.
    var transformers: [NodePath] = []
    var fields: [UInt8] = []
    var payload: [UInt8] = []

    var byteCount: Int {
        fields.count + payload.count
    }
}
