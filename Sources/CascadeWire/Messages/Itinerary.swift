// SPDX-License-Identifier: Apache-2.0

/// The stops of a visit that goes to several responders of one session in one round trip, or the
/// node that a delivery is for. It comes right before the visit or delivery, and its payload has
/// 8 bytes a stop.
package struct Itinerary: Equatable, Sendable {
    package struct Stop: Equatable, Sendable {
        package var node: UInt32
        package var responder: UInt16

        package init(node: UInt32, responder: UInt16) {
            self.node = node
            self.responder = responder
        }
    }

    package var stops: [Stop]

    package init(_ stops: [Stop]) {
        self.stops = stops
    }

    /// Reads a whole message. Throws ``WireError`` unless it is an itinerary with at least one
    /// stop.
    package init(parsing message: [UInt8]) throws(WireError) {
        let header = try Header(parsing: message)
        let payload = header.payload(of: message)
        guard header.command == .itinerary, payload.count % 8 == 0, !payload.isEmpty else {
            throw WireError("an itinerary of \(payload.count) bytes")
        }
        stops = stride(from: payload.startIndex, to: payload.endIndex, by: 8).map { start in
            Stop(
                node: UInt32(littleEndianBytes: payload[start..<(start + 4)]),
                responder: UInt16(littleEndianBytes: payload[(start + 4)..<(start + 6)]))
        }
    }

    /// The whole message as bytes.
    package func encoded() -> [UInt8] {
        var bytes = Header(.itinerary).encoded()
        bytes.reserveCapacity(bytes.count + stops.count * 8)
        for stop in stops {
            bytes.append(littleEndian: stop.node)
            bytes.append(littleEndian: stop.responder)
            bytes.append(littleEndian: UInt16(0))
        }
        return bytes
    }
}
