// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// What this session raises: one number each, one outcome each, and no more under way at once than
/// the daemon gives credit for.
extension Session {
    /// Whether something can be raised now. Where not, `SessionEffect.creditReturned` says when.
    ///
    /// Nothing can while nodes are being attached: it may come from one of them.
    package var canRaise: Bool {
        credit > 0 && pendingAttach.isEmpty
    }

    /// Everything stands as before. What has no outcome yet goes first, in its old order; only then
    /// may something new be raised.
    mutating func resume(into effects: inout [SessionEffect]) {
        var resentCount: UInt32 = 0
        for (sequence, entry) in inFlight.all {
            do throws(WireError) {
                var options = entry.options
                options.flags.insert(.sentAgain)
                effects.append(try message(entry.raising, options, sequence))
                resentCount += 1
            } catch {
                _ = inFlight.remove(sequence)
                let refused = Refused(
                    sequence: sequence, code: error.code, sentence: error.description)
                effects.append(.raiseRefused(sequence: sequence, refused))
            }
        }
        recallAccepted(into: &effects)
        resendRequestsOfNodes(into: &effects)
        resendAttaches(into: &effects)
        hasResumed = true
        credit = grantedCredit - min(grantedCredit, resentCount)
        effects.append(.creditReturned)
    }

    /// Raises an event or publication and returns its number. Throws ``WireError`` if it exceeds
    /// the bus's limit for a message; then nothing is raised.
    ///
    /// Precondition: ``canRaise``.
    package mutating func raise(
        _ raising: Raising, _ options: RaiseOptions, into effects: inout [SessionEffect]
    ) throws(WireError) -> UInt64 {
        precondition(canRaise, "something was raised without credit")
        let sequence = nextSequence
        effects.append(try message(raising, options, sequence))
        credit -= 1
        nextSequence += 1
        if !options.flags.contains(.unacknowledged) {
            inFlight.insert(
                InFlightWindow.Entry(raising: raising, options: options), at: sequence)
        }
        return sequence
    }

    /// The message that raises something.
    private mutating func message(
        _ raising: Raising, _ options: RaiseOptions, _ sequence: UInt64
    ) throws(WireError) -> SessionEffect {
        var header = Header(
            .trigger, flags: options.flags, id: outcomeCount, sequence: sequence,
            time: options.deadlineMilliseconds)
        let causes = options.cause.map { $0.depth == .max ? .max : $0.depth + 1 } ?? 0
        switch options.direction {
        case .upward(let lane):
            header.code = LaneCode(lane, causes: causes).rawValue
        case .down(let destination):
            header.command = .publish
            header.code = destination.rawValue | UInt32(causes) << 8
        }
        header.name = numbers.number(of: raising.name)
        if case .node(let path) = options.origin {
            header.node = numbers.number(of: path)
        }
        guard
            header.name == 0 || header.node == Header.noNode || raising.hasFields
                || options.hasFields
        else {
            try checkMessage(byteCount: Header.byteCount + raising.payload.count)
            return .sendRaised(header, fields: [], payload: raising.payload)
        }
        let fields = fields(of: raising, options, &header)
        try checkMessage(byteCount: Header.byteCount + fields.count + raising.payload.count)
        return .sendRaised(header, fields: fields, payload: raising.payload)
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
        raised.message = raising.message
        raised.title = raising.title
        raised.cause = options.cause?.id
        raised.retried = options.retried
        raised.traceParent = options.traceParent ?? options.cause?.traceParent
        if options.holdMilliseconds > 0 {
            raised.holdMilliseconds = options.holdMilliseconds
        }
        if raised.name != nil || raised.origin != nil || options.hasFields {
            header.flags.insert(.addressedInFields)
        }
        var fields = FieldWriter()
        raised.write(to: &fields)
        header.fieldsLength = UInt32(fields.bytes.count)
        return fields.bytes
    }

    /// Nobody waits for the outcome of a request any longer: whoever works on it is told.
    package mutating func cancel(_ sequence: UInt64, into effects: inout [SessionEffect]) {
        if state == .welcomed {
            effects.append(.send(Header(.cancel, sequence: sequence)))
        } else {
            _ = inFlight.remove(sequence)
        }
    }

    mutating func ended(
        _ header: Header, _ message: [UInt8], into effects: inout [SessionEffect]
    ) {
        outcomeCount += 1
        guard inFlight.remove(header.sequence) else {
            return
        }
        effects.append(.ended(header, message: message))
        // What ends before it has been sent again is not sent again, and has taken no credit here.
        if hasResumed {
            credit += 1
            effects.append(.creditReturned)
        }
    }
}

extension Raising {
    fileprivate var hasFields: Bool {
        contentType != nil || !attributes.isEmpty || message != nil || title != nil
    }
}

extension RaiseOptions {
    /// Whether the daemon has to read more of it than the header.
    fileprivate var hasFields: Bool {
        cause != nil || holdMilliseconds > 0 || retried != nil || traceParent != nil
    }
}
