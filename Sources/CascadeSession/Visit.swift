// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// An event or a publication in the hands of this session.
package struct Visit: Sendable {
    package var name: EventName
    package var id: EventID
    /// Where it comes from: the node that raised it, or its publisher.
    package var origin: NodePath
    package var isPublication: Bool
    package var attributes: [Attribute] = []
    /// What the payload is; `nil` for JSON.
    package var contentType: String?
    /// How long the bus waits for the verdict, in milliseconds, counted from its departure.
    package var millisecondsLeft: UInt32
    /// Whether a verdict is expected.
    package var isAcknowledged: Bool

    /// The whole message, of which the payload is the end.
    var message: [UInt8]
    var payloadStart: Int

    let delivery: UInt64
    let firstStop: Itinerary.Stop
    /// Stops after the first.
    let furtherStops: [Itinerary.Stop]
    /// Which stop is at work or waits.
    var stopIndex = 0
    var isAccepted = false
    /// The connection it came by is gone, and its result goes nowhere.
    private(set) var isForgotten = false

    /// The bytes that were raised or published.
    package var payload: ArraySlice<UInt8> {
        message[payloadStart...]
    }

    var stop: Itinerary.Stop {
        stopIndex == 0 ? firstStop : furtherStops[stopIndex - 1]
    }

    var hasFurtherStop: Bool {
        stopIndex < furtherStops.count
    }

    mutating func forget() {
        isForgotten = true
    }
}
