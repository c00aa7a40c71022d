// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Events that come again, because their origin sent them again after its connection had broken:
/// what a responder has answered about one, it answers again without running.
extension Session {
    /// What the visit's stop at work is to be known by; `nil` where nobody waits for its answer.
    private func key(_ slot: VisitSlot) -> VerdictWindow.Key? {
        guard slot.isAcknowledged, let session = slot.session else {
            return nil
        }
        return VerdictWindow.Key(
            session: session, sequence: slot.header.sequence, mailbox: slot.mailbox,
            responder: slot.isPublication
                ? VerdictWindow.Key.subscription : slot.stop.responder)
    }

    /// Keeps what was answered, whether or not the answer goes anywhere. What failed because nobody
    /// waited for it any more is no answer.
    mutating func remember(_ slot: VisitSlot, _ result: InvocationResult) {
        if let key = key(slot), !slot.isGivenUp(result) {
            verdicts.insert(key, result, isAgain: slot.header.flags.contains(.sentAgain))
        }
    }

    /// Whether the visit has been here before, so that nothing has to run: its answer is known, or
    /// somebody still works on it.
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

    /// Those that waited for this visit's result have it. What was given up is begun for the next.
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

    /// Answers what is known. Here and not at once, so that many in a row take no more stack than
    /// one.
    mutating func replay(into effects: inout [SessionEffect]) {
        while !replays.isEmpty {
            let (visit, result) = replays.removeFirst()
            end(visit, result, 0, into: &effects)
        }
    }
}

extension VisitSlot {
    /// Whether this result is no answer, but came of the visit's being cancelled.
    func isGivenUp(_ result: InvocationResult) -> Bool {
        if isCancelled, case .failed = result { true } else { false }
    }
}
