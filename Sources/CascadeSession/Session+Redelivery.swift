// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Redelivered messages: an origin sends them again after its connection has broken. An answer that
/// is known is repeated, and the responder does not run again.
extension Session {
    /// Returns the key of the visit's current stop; `nil` if the visit is not acknowledged.
    private func key(_ slot: VisitSlot) -> VerdictWindow.Key? {
        guard slot.isAcknowledged, let session = slot.session else {
            return nil
        }
        return VerdictWindow.Key(
            session: session, sequence: slot.header.sequence, mailbox: slot.mailbox,
            responder: slot.isPublication
                ? VerdictWindow.Key.subscription : slot.stop.responder)
    }

    /// Keeps an answer, even if its connection is gone. A failure caused by a cancellation is not
    /// kept.
    mutating func remember(_ slot: VisitSlot, _ result: InvocationResult) {
        if let key = key(slot), !slot.isGivenUp(result) {
            verdicts.insert(key, result, isAgain: slot.header.flags.contains(.sentAgain))
        }
    }

    /// Returns whether the visit need not run, because its answer is known or an earlier delivery
    /// of it still runs.
    mutating func isAnsweredOtherwise(_ visit: UInt32) -> Bool {
        guard visits[visit].header.flags.contains(.sentAgain), let key = key(visits[visit]) else {
            return false
        }
        if let result = verdicts.result(key) {
            replays.append((visit, result))
            return true
        }
        let first = visits.atWork { index, slot in
            index != visit && slot.joined == nil && !slot.isCancelled && self.key(slot) == key
        }
        guard let first else {
            return false
        }
        visits[first].joined = visit
        return true
    }

    /// Ends the redeliveries that waited for this visit's result. After a cancelled visit, the next
    /// one runs.
    mutating func endJoined(
        _ slot: VisitSlot, _ result: InvocationResult, into effects: inout [SessionEffect]
    ) {
        var next = slot.joined
        while let joined = next {
            if slot.isGivenUp(result), visits[joined].state == .running {
                invoke(joined, into: &effects)
                return
            }
            next = visits[joined].joined
            visits[joined].joined = nil
            end(joined, result, 0, into: &effects)
        }
    }

    /// Answers the redeliveries whose answer is known. A loop, so that many in a row do not deepen
    /// the stack.
    mutating func replay(into effects: inout [SessionEffect]) {
        while !replays.isEmpty {
            let (visit, result) = replays.removeFirst()
            end(visit, result, 0, into: &effects)
        }
    }
}

extension VisitSlot {
    /// Whether the result is a failure caused by a cancellation.
    func isGivenUp(_ result: InvocationResult) -> Bool {
        if isCancelled, case .failed = result { true } else { false }
    }
}
