// SPDX-License-Identifier: Apache-2.0

package import CascadeWire
import DequeModule

/// Raising messages. Each has one sequence number and at most one outcome; the daemon's credit limits
/// the number under way.
extension Session {
    /// Whether a message can be raised now. The effect `SessionEffect.creditReturned` reports that it
    /// may have become true.
    ///
    /// It is false while nodes are being attached, because the origin may be one of them.
    package var canRaise: Bool {
        credit > 0 && pendingAttach.isEmpty
    }

    /// Sends messages without an outcome again, in their original order, as far as the credit
    /// allows. The others, and new ones behind them, wait for credit.
    mutating func resume(into effects: inout [SessionEffect]) {
        credit = grantedCredit
        redeliveries = Deque(inFlight.all.map(\.sequence))
        redeliver(into: &effects)
        recallAccepted(into: &effects)
        resendRequestsOfNodes(into: &effects)
        resendAttaches(into: &effects)
        hasResumed = true
        effects.append(.creditReturned)
    }

    private mutating func redeliver(into effects: inout [SessionEffect]) {
        while credit > 0, let sequence = redeliveries.popFirst() {
            guard let entry = inFlight.entry(sequence) else {
                continue
            }
            do throws(WireError) {
                var options = entry.options
                options.flags.insert(.sentAgain)
                effects.append(try message(entry.raising, options, sequence))
                credit -= 1
            } catch {
                _ = inFlight.remove(sequence)
                let refused = Refused(
                    sequence: sequence, code: error.code, sentence: error.description)
                effects.append(.raiseRefused(sequence: sequence, refused))
            }
        }
    }

    /// Uses returned credit for redeliveries first, and announces what is left.
    mutating func returnCredit(_ count: UInt32, into effects: inout [SessionEffect]) {
        credit += min(count, .max - credit)
        redeliver(into: &effects)
        effects.append(.creditReturned)
    }

    /// Returns the credit of a message that has ended, unless it was not sent on this connection.
    mutating func returnCredit(of sequence: UInt64, into effects: inout [SessionEffect]) {
        if let place = redeliveries.firstIndex(of: sequence) {
            redeliveries.remove(at: place)
        } else if hasResumed {
            returnCredit(1, into: &effects)
        }
    }

    /// Raises an event or publication and returns its sequence number. Throws `WireError` if it
    /// exceeds the bus's limit for a message; then nothing is sent.
    ///
    /// Precondition: ``canRaise``.
    package mutating func raise(
        _ raising: consuming Raising, _ options: consuming RaiseOptions,
        into effects: inout [SessionEffect]
    ) throws(WireError) -> UInt64 {
        precondition(canRaise, "a message was raised without credit")
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

    /// Returns the effect that sends a message.
    private mutating func message(
        _ raising: Raising, _ options: RaiseOptions, _ sequence: UInt64
    ) throws(WireError) -> SessionEffect {
        var header = Header(
            .trigger, flags: options.flags, id: outcomeCount, sequence: sequence,
            time: options.deadlineMilliseconds)
        let causes = options.foreign?.causes ?? options.cause?.depthOfEffect ?? 0
        switch options.direction {
        case .upward(let lane):
            header.code = LaneCode(lane, causes: causes).rawValue
        case .down(let destination):
            header.command = .publish
            header.code =
                (options.foreign?.reach?.rawValue ?? destination.rawValue) | UInt32(causes) << 8
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

    /// Returns the fields for all that the header's numbers do not express.
    private func fields(
        of raising: Raising, _ options: RaiseOptions, _ header: inout Header
    ) -> [UInt8] {
        var raised = RaisedFields(attributes: raising.attributes, contentType: raising.contentType)
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
        if let foreign = options.foreign {
            raised.raisedAs = foreign.raisedAs
            raised.origin = foreign.origin
            raised.cause = foreign.cause
        }
        if raised.name != nil || raised.origin != nil || options.hasFields {
            header.flags.insert(.addressedInFields)
        }
        var fields = FieldWriter()
        raised.write(to: &fields)
        options.foreign?.failure?.writeOrigin(to: &fields)
        header.fieldsLength = UInt32(fields.bytes.count)
        return fields.bytes
    }

    /// Cancels a request, and the responder that works on it. The caller no longer waits for the outcome.
    package mutating func cancel(_ sequence: UInt64, into effects: inout [SessionEffect]) {
        if state == .welcomed {
            inFlight.cancel(sequence)
            effects.append(.send(Header(.cancel, sequence: sequence)))
        } else {
            _ = inFlight.remove(sequence)
        }
    }

    /// Gives up a message: another connection does not send it again. Its outcome may still arrive on
    /// this one.
    package mutating func giveUp(_ sequence: UInt64) {
        if state == .welcomed, !redeliveries.contains(sequence) {
            inFlight.giveUp(sequence)
        } else {
            redeliveries.removeAll { $0 == sequence }
            _ = inFlight.remove(sequence)
        }
    }

    /// Changes the deadline of a message that another connection will send again.
    package mutating func setDeadline(of sequence: UInt64, milliseconds: UInt32) {
        inFlight.setDeadline(of: sequence, milliseconds: milliseconds)
    }

    mutating func applyOutcome(
        _ header: Header, _ message: [UInt8], into effects: inout [SessionEffect]
    ) {
        outcomeCount += 1
        guard inFlight.remove(header.sequence) else {
            lateOutcomeCount += 1
            return
        }
        effects.append(.ended(header, message: message))
        returnCredit(of: header.sequence, into: &effects)
    }

    /// Forgets the requests whose cancellation was sent, and the messages that were given up: no caller
    /// waits for them.
    mutating func forgetCancelled(into effects: inout [SessionEffect]) {
        for (sequence, entry) in inFlight.all where entry.isCancelled || entry.isGivenUp {
            _ = inFlight.remove(sequence)
            let what = entry.isCancelled ? "request was cancelled" : "message was given up"
            let refused = Refused(
                sequence: sequence, code: .cancelled, sentence: "the \(what)")
            effects.append(.raiseRefused(sequence: sequence, refused))
        }
    }
}

extension Raising {
    fileprivate var hasFields: Bool {
        contentType != nil || !attributes.isEmpty || message != nil || title != nil
    }
}

extension RaiseOptions {
    /// Whether the message needs fields beyond the header.
    fileprivate var hasFields: Bool {
        cause != nil || holdMilliseconds > 0 || retried != nil || traceParent != nil
            || foreign != nil
    }
}

// MARK: - Limit

/// The bus's limit for the length of a message. Longer messages are refused here, because the
/// daemon may end the connection before it can report the error.
extension Session {
    /// Throws ``WireError`` if a message of this length exceeds the limit.
    func checkMessage(byteCount: Int) throws(WireError) {
        guard byteCount <= messageByteCountMax else {
            throw WireError(
                .limitReached,
                "the message has \(byteCount) bytes, more than the limit messageBytes of "
                    + "\(messageByteCountMax)")
        }
        guard byteCount <= carriedByteCountMax else {
            throw WireError(
                .limitReached,
                "the message has \(byteCount) bytes, and the connection carries at most "
                    + "\(carriedByteCountMax)")
        }
    }
}
