// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The encoding of verdicts.
extension Session {
    /// Appends the effect that sends the verdict of a visit.
    func sendVerdict(
        _ visit: UInt32, _ result: InvocationResult, _ nextAccepted: Bool, _ microseconds: UInt32,
        into effects: inout [SessionEffect]
    ) {
        var header = Header(
            .verdict, flags: nextAccepted ? .nextAccepted : [],
            index: UInt16(visits[visit].stopIndex), node: visits[visit].firstNode,
            id: visits[visit].header.id, time: microseconds)
        switch result {
        case .passed:
            header.code = VerdictCode.passed.rawValue
            effects.append(.send(header))
        case .handled:
            header.code = VerdictCode.handled.rawValue
            effects.append(.send(header))
        case .answered(let reply):
            header.code = VerdictCode.answered.rawValue
            var fields = FieldWriter()
            fields.append(.contentType, ifAny: reply.contentType)
            effects.append(verdict(header, fields, reply.payload))
        case .failed(let failure, let reply):
            header.code = VerdictCode.failed.rawValue
            var fields = FieldWriter()
            failure.write(to: &fields)
            fields.append(.contentType, ifAny: reply?.contentType)
            effects.append(verdict(header, fields, reply?.payload ?? []))
        case .remote(let remote):
            header.code = remote.code.rawValue
            var fields = FieldWriter()
            remote.failure?.write(to: &fields)
            remote.end.write(to: &fields)
            fields.append(.contentType, ifAny: remote.reply?.contentType)
            effects.append(verdict(header, fields, remote.reply?.payload ?? []))
        case .replaced(let raising):
            header.code = VerdictCode.replaced.rawValue
            var fields = FieldWriter()
            RaisedFields(
                name: raising.name, attributes: raising.attributes,
                contentType: raising.contentType, message: raising.message, title: raising.title,
                traceParent: traceParent(of: visit)
            ).write(to: &fields)
            effects.append(verdict(header, fields, raising.payload))
        }
    }

    /// Returns the trace and span for a replacement, those of the replaced message.
    private func traceParent(of visit: UInt32) -> TraceParent? {
        let header = visits[visit].header
        guard header.fieldsLength > 0 else {
            return nil
        }
        // Fields that cannot be parsed were not needed for the visit itself.
        return try? RaisedFields(fields: header.fields(of: visits.message(visit))).traceParent
    }

    /// Returns the effect that sends a verdict. A verdict beyond the limit becomes a failure of the node.
    private func verdict(
        _ header: Header, _ fields: FieldWriter, _ payload: [UInt8]
    ) -> SessionEffect {
        var header = header
        var fields = fields
        var payload = payload
        do throws(WireError) {
            try checkMessage(byteCount: Header.byteCount + fields.bytes.count + payload.count)
        } catch {
            header.code = VerdictCode.failed.rawValue
            fields = FieldWriter()
            Failure(error.code, message: error.description).write(to: &fields)
            payload = []
        }
        header.fieldsLength = UInt32(fields.bytes.count)
        return .sendRaised(header, fields: fields.bytes, payload: payload)
    }
}
