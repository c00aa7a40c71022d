// SPDX-License-Identifier: Apache-2.0

/// The links of a gate, and their effects.
extension Gate {
    /// Adds a link, whose frames wait until its connection to the bus is open.
    mutating func insert(_ key: LinkKey, _ offer: LinkOffer, at now: Duration) {
        let terms = offer.terms
        let settings = LinkSettings(
            window: terms.window, maximum: terms.maximum, patience: configuration.patience)
        var link = Link(settings, isConnected: isConnected, at: now)
        link.pause()
        links[key] = GateLink(link: link, request: offer.request, terms: terms, openedAt: now)
        children[key.child, default: GateChild()].link = key.link
        advanceDeadline(to: link.deadline)
    }

    /// Changes a link, and translates its effects.
    mutating func withLink(
        _ key: LinkKey, at now: Duration, into effects: inout [GateEffect],
        _ change: (inout Link, inout [LinkEffect]) -> Void
    ) {
        guard let index = links.index(forKey: key) else {
            return
        }
        var linkEffects: [LinkEffect] = []
        change(&links.values[index].link, &linkEffects)
        advanceDeadline(to: links.values[index].link.deadline)
        for effect in linkEffects {
            let mayHaveEnded = perform(effect, of: key, at: now, into: &effects)
            // A greeting may end the link before its other effects.
            guard !mayHaveEnded || links[key] != nil else {
                return
            }
        }
    }

    /// Returns whether the link may have ended.
    private mutating func perform(
        _ effect: LinkEffect, of key: LinkKey, at now: Duration, into effects: inout [GateEffect]
    ) -> Bool {
        switch effect {
        case .publish(let message):
            effects.append(.publish(key.child, .link(key.link), message))
            return false
        case .deliver(let frame) where GreetingKey.isGreeting(frame):
            greet(frame, of: key, at: now, into: &effects)
        case .deliver(let frame):
            effects.append(.deliver(key, frame))
            return false
        case .refusePart(_, let byteCount):
            // A child's session sends no frame beyond the maximum that it was told.
            fail(
                key, .frameTooLong(byteCount: byteCount, maximum: configuration.maximum), at: now,
                into: &effects)
        case .room:
            effects.append(.room(key))
            return false
        case .ended(let end):
            remove(key, end, into: &effects)
        }
        return true
    }

    private mutating func greet(
        _ frame: ArraySlice<UInt8>, of key: LinkKey, at now: Duration,
        into effects: inout [GateEffect]
    ) {
        do throws(LinkFault) {
            effects.append(.deliver(key, try GreetingKey.replace(in: frame, by: key.child)[...]))
        } catch {
            fail(key, error, at: now, into: &effects)
        }
    }

    private mutating func fail(
        _ key: LinkKey, _ fault: LinkFault, at now: Duration, into effects: inout [GateEffect]
    ) {
        withLink(key, at: now, into: &effects) { link, effects in
            link.fail(fault, at: now, into: &effects)
        }
    }

    private mutating func remove(
        _ key: LinkKey, _ end: LinkEnd, into effects: inout [GateEffect]
    ) {
        links[key] = nil
        children[key.child, default: GateChild()].link = nil
        children[key.child]?.closing.insert(key.link)
        children[key.child]?.append(ended: key.link)
        effects.append(.disconnect(key))
        effects.append(.report(.ended(key, end)))
    }

    /// Moves the time before which no link has to act to `deadline`, if that is earlier.
    mutating func advanceDeadline(to deadline: Duration?) {
        if let deadline {
            nextDeadline = min(nextDeadline ?? deadline, deadline)
        }
    }
}
