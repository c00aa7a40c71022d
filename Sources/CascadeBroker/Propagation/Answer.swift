// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A verdict with the message it came in.
struct Answer {
    var code: VerdictCode
    /// Which of the visit's stops gave it; those before it passed.
    var stop: UInt16
    /// The number of the name that it assigns to the event: ``NameTable/none`` for a name without a
    /// number, `nil` if it assigns none.
    var newName: NameIndex?
    /// That name, where the verdict has it as a text.
    var newText: EventName?
    /// The error of a responder that failed.
    var failure: Failure?
    /// The message itself, where it may travel on.
    var payload: Payload?

    /// The message's own fields, beside its header.
    var raised: RaisedFields? {
        payload.flatMap { try? RaisedFields(fields: $0.fieldReader) }
    }
}

extension Answer {
    init(_ header: Header, _ message: Payload, _ names: borrowing NameTable) throws(WireError) {
        let payload = header.carriesPayload ? message : nil
        // Most verdicts consist of a header alone.
        if header.fieldsLength == 0, let code = VerdictCode(rawValue: header.code) {
            self.init(
                code: code, stop: header.index, newName: Self.newName(header, nil, names),
                payload: payload)
            return
        }
        let verdict = try Self.verdict(header, message.fields)
        self.init(
            code: verdict.code, stop: verdict.stop,
            newName: Self.newName(header, verdict.newName, names), newText: verdict.newName,
            failure: verdict.failure, payload: payload)
    }

    /// A verdict with an invalid name is a verdict, but not one that its responder can give.
    private static func verdict(_ header: Header, _ fields: [UInt8]) throws(WireError) -> Verdict {
        do {
            return try Verdict(header: header, fields: FieldReader(fields))
        } catch {
            guard error.code.refusesOnlyTheRequest else {
                throw error
            }
            var header = header
            header.fieldsLength = 0
            header.code = VerdictCode.failed.rawValue
            var verdict = try Verdict(header: header, fields: FieldReader([]))
            verdict.failure = Failure(.badVerdict, message: error.description)
            return verdict
        }
    }

    /// Returns the number of the name that a verdict assigns to the event; `nil` if it assigns
    /// none.
    private static func newName(
        _ header: Header, _ text: EventName?, _ names: borrowing NameTable
    ) -> NameIndex? {
        let name = NameIndex(header.name)
        if name != NameIndex.none {
            return names.name(name) == nil ? nil : name
        }
        return text.map { names.existingNumber(of: $0) ?? NameIndex.none }
    }
}
