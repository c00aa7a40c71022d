// SPDX-License-Identifier: Apache-2.0

/// The stops of a visit that goes to several responders of one session in one round trip: the
/// second frame of a `visit` or `delivery`, 8 bytes a stop.
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

    package init(parsing frame: [UInt8]) throws(WireError) {
        guard frame.count % 8 == 0, !frame.isEmpty else {
            throw WireError("an itinerary of \(frame.count) bytes")
        }
        stops = stride(from: 0, to: frame.count, by: 8).map { offset in
            Stop(
                node: UInt32(littleEndianBytes: frame[offset..<(offset + 4)]),
                responder: UInt16(littleEndianBytes: frame[(offset + 4)..<(offset + 6)]))
        }
    }

    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(stops.count * 8)
        for stop in stops {
            bytes.append(littleEndian: stop.node)
            bytes.append(littleEndian: stop.responder)
            bytes.append(littleEndian: UInt16(0))
        }
        return bytes
    }
}
