// SPDX-License-Identifier: Apache-2.0

/// A node's answer to a visit. In the steady state its header says it all.
package struct Verdict: WireMessage {
    package static let command = Command.verdict

    package var delivery: UInt64
    package var node: UInt32
    package var code: VerdictCode
    /// Which stop of the itinerary gave the answer; those before it passed.
    package var stop: UInt16
    /// Whether the node's next visit has begun.
    package var nextAccepted: Bool
    /// How long the responders ran, in microseconds.
    package var microseconds: UInt32
    /// What the event is called from now on, if it was replaced.
    package var newName: EventName?
    /// What the responder threw, if it failed.
    package var failure: Failure?

    package init(
        delivery: UInt64, node: UInt32, code: VerdictCode, stop: UInt16 = 0,
        nextAccepted: Bool = false, microseconds: UInt32 = 0, newName: EventName? = nil,
        failure: Failure? = nil
    ) {
        self.delivery = delivery
        self.node = node
        self.code = code
        self.stop = stop
        self.nextAccepted = nextAccepted
        self.microseconds = microseconds
        self.newName = newName
        self.failure = failure
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        guard let code = VerdictCode(rawValue: header.code) else {
            throw WireError("there is no verdict \(header.code)")
        }
        var newName: EventName?
        var failure: Failure?
        if header.fieldsLength > 0 {
            newName = try Raised(fields: fields).name
            failure = try Failure(fields: fields)
        }
        self.init(
            delivery: header.id, node: header.node, code: code, stop: header.index,
            nextAccepted: header.flags.contains(.nextAccepted), microseconds: header.time,
            newName: newName, failure: failure)
    }

    package var header: Header {
        Header(
            .verdict, flags: nextAccepted ? .nextAccepted : [], index: stop, node: node,
            id: delivery, time: microseconds, code: code.rawValue)
    }

    package func write(to fields: inout FieldWriter) {
        if let newName {
            fields.append(.name, newName.description)
        }
        failure?.write(to: &fields)
    }
}
