// SPDX-License-Identifier: Apache-2.0

/// Confirms that the outcome of a durable event has arrived, or is not needed: the bus forgets it.
package struct Received: WireMessage {
    package static let command = Command.received

    /// The event's number in this session; 0 where another one raised it.
    package var sequence: UInt64
    /// The event's ID, where another session raised it.
    package var id: EventID?

    package init(sequence: UInt64 = 0, id: EventID? = nil) {
        self.sequence = sequence
        self.id = id
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(sequence: header.sequence)
        while let field = try fields.next() {
            if field.tag == .eventID {
                id = try EventID(field)
            }
        }
    }

    package var header: Header {
        Header(.received, sequence: sequence)
    }

    package func write(to fields: inout FieldWriter) {
        id?.write(as: .eventID, to: &fields)
    }
}
