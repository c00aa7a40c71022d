// SPDX-License-Identifier: Apache-2.0

/// The guarantee of delivery for an event.
public enum DeliveryLevel: Sendable {
    /// The event has exactly one outcome, even if other processes exit, as long as this process
    /// lives.
    case acknowledged
    /// The event is on the bus's disk before the trigger returns. The bus holds it until it is
    /// handled or its hold expires, even if this process, the daemon or the machine stops
    /// meanwhile.
    case durable
}
