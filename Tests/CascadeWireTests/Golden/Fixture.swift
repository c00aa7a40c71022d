// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

/// A value whose bytes Protocol.md shows, under the same name.
struct Fixture: Sendable, CustomTestStringConvertible {
    let name: String
    /// The bytes that the codec writes for the value.
    let encoded: [UInt8]
    /// Whether the message has a type of its own, beside the header.
    let isTyped: Bool
    /// Reads bytes and expects the value.
    let expectValue: @Sendable ([UInt8]) throws -> Void

    var testDescription: String {
        name
    }

    /// A message that has a type of its own.
    init(_ name: String, _ message: some WireMessage, payload: String = "") {
        self.name = name
        isTyped = true
        encoded = message.encoded() + payload.utf8
        expectValue = { bytes in
            try expect(message, in: bytes)
            let header = try Header(parsing: bytes)
            #expect(Array(header.payload(of: bytes)) == Array(payload.utf8))
        }
    }

    /// A message of the steady state: a header, with the fields of a raised message or error.
    init(
        _ name: String, _ header: Header, _ raised: RaisedFields = RaisedFields(),
        _ failure: Failure? = nil,
        payload: String = ""
    ) {
        var fields = FieldWriter()
        failure?.write(to: &fields)
        raised.write(to: &fields)
        var header = header
        header.fieldsLength = UInt32(fields.bytes.count)
        let expected = header
        self.name = name
        isTyped = false
        encoded = expected.encoded() + fields.bytes + payload.utf8
        expectValue = { bytes in
            let header = try Header(parsing: bytes)
            #expect(header == expected)
            let decoded = try RaisedFields(fields: header.fields(of: bytes))
            #expect(decoded == raised.with(failure))
            let decodedFailure = try Failure(fields: header.fields(of: bytes))
            #expect(decodedFailure == failure)
            #expect(Array(header.payload(of: bytes)) == Array(payload.utf8))
        }
    }

    /// The definitions that precede a visit.
    init(_ name: String, _ itinerary: Itinerary) {
        self.name = name
        isTyped = true
        encoded = itinerary.encoded()
        expectValue = { bytes in
            let decoded = try Itinerary(parsing: bytes)
            #expect(decoded == itinerary)
        }
    }

    static let all =
        firstWorker + session + events + lanes + publications + inspection + queries
        + administration + environment + durableEvents
}

/// Expects that `bytes` decode to `message`.
private func expect<Message: WireMessage>(_ message: Message, in bytes: [UInt8]) throws {
    let decoded = try Message(parsing: bytes)
    #expect(decoded == message)
}

extension RaisedFields {
    /// The failure read from an error's fields, including its message.
    fileprivate func with(_ failure: Failure?) -> RaisedFields {
        var raised = self
        raised.message = failure?.message ?? message
        raised.title = failure?.title ?? title
        return raised
    }
}
