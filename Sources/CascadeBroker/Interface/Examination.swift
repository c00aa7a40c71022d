// SPDX-License-Identifier: Apache-2.0

/// Why the broker wants to look into a payload, which it does not in the steady state.
package enum Examination: Equatable, Sendable {
    /// A responder's predicate decides whether it is asked about this event.
    case event(Slab<Propagation>.Index)
    /// This durable event is to be written.
    case durable(Slab<Propagation>.Index)
    /// This undelivered event is to be kept without its message.
    case undelivered(UInt64)
    /// An inspector is to be shown this held event with its payload.
    case held(Slab<Propagation>.Index)
    /// Monitors are to be told what was raised with its payload.
    case happening
}
