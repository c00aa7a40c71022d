// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A verdict with the message it came in.
struct Answer {
    let code: VerdictCode
    /// Which of the visit's stops gave it; those before it passed.
    let stop: UInt16
    /// `nil` for a verdict that consists of its code alone, as most do.
    private let content: Content?

    /// What a verdict has beside its code.
    private final class Content {
        let newName: NameIndex?
        let newText: EventName?
        let failure: Failure?
        let remote: RemoteEnd?
        let payload: Payload?

        init(
            newName: NameIndex?, newText: EventName?, failure: Failure?, remote: RemoteEnd? = nil,
            payload: Payload?
        ) {
            self.newName = newName
            self.newText = newText
            self.failure = failure
            self.remote = remote
            self.payload = payload
        }
    }

    /// Whether it has anything beside its code.
    var hasContent: Bool {
        content != nil
    }

    /// The number of the name that it assigns to the event: ``NameTable/none`` for a name without a
    /// number, `nil` if it assigns none.
    var newName: NameIndex? {
        content?.newName
    }

    /// That name, where the verdict has it as a text.
    var newText: EventName? {
        content?.newText
    }

    /// The error of a responder that failed.
    var failure: Failure? {
        content?.failure
    }

    /// How the message ended on another bus, according to the node. It counts only if the node connects
    /// one.
    var remote: RemoteEnd? {
        content?.remote
    }

    /// The message itself, where it may travel on.
    var payload: Payload? {
        content?.payload
    }

    /// The message's own fields, beside its header.
    var raised: RaisedFields? {
        payload.flatMap { try? RaisedFields(fields: $0.fieldReader) }
    }
}

extension Answer {
    @inline(__always)
    init(_ header: Header, _ message: Payload, _ names: borrowing NameTable) throws(WireError) {
        if header.fieldsLength == 0, let code = VerdictCode(rawValue: header.code),
            code == .handled || code == .passed
        {
            self.init(code: code, stop: header.index, content: nil)
        } else {
            self = try Self.full(header, message, names)
        }
    }

    private static func full(
        _ header: Header, _ message: Payload, _ names: borrowing NameTable
    ) throws(WireError) -> Answer {
        let payload = header.carriesPayload ? message : nil
        if header.fieldsLength == 0, let code = VerdictCode(rawValue: header.code) {
            return Answer(
                code: code, stop: header.index,
                content: Content(
                    newName: newName(header, nil, names), newText: nil, failure: nil,
                    payload: payload))
        }
        let verdict = try verdict(header, message.fields)
        return Answer(
            code: verdict.code, stop: verdict.stop,
            content: Content(
                newName: newName(header, verdict.newName, names), newText: verdict.newName,
                failure: verdict.failure, remote: verdict.remote, payload: payload))
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
