// SPDX-License-Identifier: Apache-2.0

/// How much is promised of an event.
public enum DeliveryLevel: Sendable {
    /// It has one outcome, whoever else ends, as long as this process lives.
    case acknowledged
    /// It is on the bus's disk before it is said to be triggered, and is held until it is handled
    /// or its hold is over, even if this process, the daemon or the machine ends meanwhile.
    case durable
}
