// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What this session raises: one number each, one outcome each, and no more under way at once than
/// the daemon gives credit for.
extension Session {
    /// Whether something can be raised now. Where not, ``SessionEffect/creditReturned`` says when.
    ///
    /// Nothing can while nodes are being attached: it may come from one of them.
    package var canRaise: Bool {
        credit > 0 && pendingAttach.isEmpty
    }

    /// Everything stands as before. What has no outcome yet goes first, in its old order; only then
    /// may something new be raised.
    mutating func resume(into effects: inout [SessionEffect]) {
        let resent = inFlight.all
        for (sequence, entry) in resent {
            send(entry.raising, entry.options, sequence, into: &effects)
        }
        credit = grantedCredit - min(grantedCredit, UInt32(resent.count))
        effects.append(.creditReturned)
    }

    /// Raises an event or publication and returns its number.
    ///
    /// Precondition: ``canRaise``.
    package mutating func raise(
        _ raising: Raising, _ options: RaiseOptions, into effects: inout [SessionEffect]
    ) -> UInt64 {
        precondition(canRaise, "something was raised without credit")
        credit -= 1
        let sequence = nextSequence
        nextSequence += 1
        if !options.flags.contains(.unacknowledged) {
            inFlight.insert(
                InFlightWindow.Entry(raising: raising, options: options), at: sequence)
        }
        send(raising, options, sequence, into: &effects)
        return sequence
    }

    private mutating func send(
        _ raising: Raising, _ options: RaiseOptions, _ sequence: UInt64,
        into effects: inout [SessionEffect]
    ) {
        var header = Header(
            .trigger, flags: options.flags, sequence: sequence, time: options.deadlineMilliseconds)
        if case .down(let destination) = options.direction {
            header.command = .publish
            header.code = destination.rawValue
        }
        header.name = numbers.number(of: raising.name)
        if case .node(let path) = options.origin {
            header.node = numbers.number(of: path)
        }
        guard
            header.name == 0 || header.node == Header.noNode || raising.contentType != nil
                || !raising.attributes.isEmpty
        else {
            effects.append(.sendRaised(header, fields: [], payload: raising.payload))
            return
        }
        let fields = fields(of: raising, options, &header)
        effects.append(.sendRaised(header, fields: fields, payload: raising.payload))
    }

    /// What the header's numbers do not say.
    private func fields(
        of raising: Raising, _ options: RaiseOptions, _ header: inout Header
    ) -> [UInt8] {
        var raised = Raised(attributes: raising.attributes, contentType: raising.contentType)
        if header.name == 0 {
            raised.name = raising.name
        }
        if header.node == Header.noNode {
            raised.origin = options.outsiderPath
        }
        if raised.name != nil || raised.origin != nil {
            header.flags.insert(.addressedInFields)
        }
        var fields = FieldWriter()
        raised.write(to: &fields)
        header.fieldsLength = UInt32(fields.bytes.count)
        return fields.bytes
    }

    mutating func ended(
        _ header: Header, _ message: [UInt8], into effects: inout [SessionEffect]
    ) {
        guard inFlight.remove(header.sequence) else {
            return
        }
        credit += 1
        effects.append(.ended(header, message: message))
        effects.append(.creditReturned)
    }
}
