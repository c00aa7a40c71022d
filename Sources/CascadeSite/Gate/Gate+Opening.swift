// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The admission of children.
extension Gate {
    mutating func receiveOpening(
        _ message: [UInt8], from child: SiteName, at now: Duration,
        into effects: inout [GateEffect]
    ) {
        guard let request = try? OpenRequest(parsing: message) else {
            counters.malformedOpenings += 1
            return
        }
        let key = LinkKey(child, request.link)
        let isAdmitted = withChild(child) { $0.admitsOpening(at: now) }
        guard isAdmitted else {
            counters.floodedOpenings += 1
            let isAnswered = withChild(child) { $0.answersFlood(at: now) }
            if isAnswered {
                let refusal = OpenRefusal(
                    code: .tooMany, message: "the site opens links too often")
                refuse(key, refusal, into: &effects)
            }
            return
        }
        do throws(OpenRefusal) {
            try offer(request, key, at: now, into: &effects)
        } catch {
            publish(error, of: key, into: &effects)
            if !request.isCheck(of: error.holder) {
                effects.append(.report(.refused(child, error)))
            }
        }
    }

    private mutating func refuse(
        _ key: LinkKey, _ refusal: OpenRefusal, into effects: inout [GateEffect]
    ) {
        publish(refusal, of: key, into: &effects)
        effects.append(.report(.refused(key.child, refusal)))
    }

    private func publish(
        _ refusal: OpenRefusal, of key: LinkKey, into effects: inout [GateEffect]
    ) {
        effects.append(
            .publish(key.child, .open, OpenAnswer.refused(key.link, refusal).encoded))
    }

    /// Offers a link. It opens with the child's first message on it: a request alone may be an old one,
    /// which the transport has delivered late to a gate that does not remember it.
    private mutating func offer(
        _ request: OpenRequest, _ key: LinkKey, at now: Duration,
        into effects: inout [GateEffect]
    ) throws(OpenRefusal) {
        try checkVersion(request)
        let mount = try mount(of: key.child)
        let state = children[key.child] ?? GateChild()
        guard !state.ended.contains(key.link) else {
            counters.staleOpenings += 1
            return
        }
        try checkInstance(request, of: key.child, at: now)
        let terms: OpenTerms
        if let known = links[key]?.terms ?? state.offer(of: key.link)?.terms {
            terms = known
        } else {
            try checkLinkCount(of: key.child)
            terms = OpenTerms(
                bus: configuration.bus, mount: mount.description, maximum: configuration.maximum,
                window: configuration.window)
            let offer = LinkOffer(request: request, terms: terms, offeredAt: now)
            let displaced = withChild(key.child) { $0.append(offer) }
            if let displaced {
                let end = LinkEnd.closed("the site has requested other links since")
                effects.append(.report(.ended(LinkKey(key.child, displaced), end)))
            }
        }
        effects.append(.publish(key.child, .open, OpenAnswer.accepted(key.link, terms).encoded))
    }

    /// Opens a link that was offered, because the child has sent its first message on it, and ends the
    /// child's older link. Returns whether the link is open; otherwise it has answered the message.
    mutating func openOffered(
        _ key: LinkKey, with message: [UInt8], at now: Duration, into effects: inout [GateEffect]
    ) -> Bool {
        guard let offer = children[key.child]?.offer(of: key.link) else {
            receiveUnknown(key, at: now, into: &effects)
            return false
        }
        let first: LinkMessage
        do throws(LinkFault) {
            first = try LinkMessage(parsing: message, maximum: offer.terms.maximum)
            try checkParts(of: first)
        } catch {
            withChild(key.child) { $0.endOffer(of: key.link) }
            publishClose(of: key, error.description, into: &effects)
            effects.append(.report(.ended(key, .fault(error))))
            return false
        }
        guard first.opensLink else {
            withChild(key.child) { $0.endOffer(of: key.link) }
            receiveUnknown(key, at: now, into: &effects)
            return false
        }
        let request = offer.request
        do throws(OpenRefusal) {
            try checkInstance(request, of: key.child, at: now)
            try checkLinkCount(of: key.child)
        } catch {
            withChild(key.child) { $0.endOffer(of: key.link) }
            publishClose(of: key, error.message, into: &effects)
            effects.append(.report(.refused(key.child, error)))
            return false
        }
        withChild(key.child) { $0.acceptOffer(of: key.link) }
        if let current = children[key.child]?.link {
            close(
                LinkKey(key.child, current), "the site has opened another link", at: now,
                into: &effects)
        }
        insert(key, offer, at: now)
        let roundTrip = first.sequence == LinkMessage.firstSequence ? now - offer.offeredAt : nil
        effects.append(
            .report(
                .opened(key, host: request.host, program: request.program, roundTrip: roundTrip)))
        // The connection may fail at once, and its end must be reported after the opening.
        effects.append(.connect(key))
        return true
    }

    /// Throws if a frame is only the first part of one: a child sends no frame beyond the maximum.
    private func checkParts(of message: LinkMessage) throws(LinkFault) {
        guard case .frames(let frames) = message.body,
            let part = frames.first(where: { !$0.isWhole })
        else {
            return
        }
        throw .frameTooLong(byteCount: part.wholeByteCount, maximum: configuration.maximum)
    }

    private func checkVersion(_ request: OpenRequest) throws(OpenRefusal) {
        guard request.version == OpenRequest.version else {
            throw OpenRefusal(
                code: .versionMismatch,
                message: "the site requests '\(request.version.escapedForDisplay())', and the gate "
                    + "implements '\(OpenRequest.version)'")
        }
    }

    private func mount(of child: SiteName) throws(OpenRefusal) -> NodePath {
        guard child != configuration.name, !ancestors.contains(child) else {
            throw nameRefusal(of: child)
        }
        guard let mount = configuration.children[child] else {
            throw OpenRefusal(
                code: .unknownSite,
                message: "the configuration of '\(configuration.name)' has no child '\(child)'")
        }
        return mount
    }

    /// Why no child may have the name of this site, or of one above it.
    func nameRefusal(of child: SiteName) -> OpenRefusal {
        let owner = child == configuration.name ? "this site" : "a site above"
        return OpenRefusal(
            code: .nameTaken,
            message: "the name '\(child)' belongs to \(owner); give the child another name")
    }

    /// Throws if the child's open link belongs to another machine.
    private func checkInstance(
        _ request: OpenRequest, of child: SiteName, at now: Duration
    ) throws(OpenRefusal) {
        guard let current = children[child]?.link, let link = links[LinkKey(child, current)],
            link.request.instance != request.instance
        else {
            return
        }
        throw OpenRefusal(
            code: .nameTaken,
            message: "the host '\(link.request.host.escapedForDisplay())' has held a link of "
                + "'\(child)' for \((now - link.openedAt).components.seconds) s",
            holder: link.request.instance)
    }

    /// Throws if the connections of the child's links to the bus are as many as they may be.
    private func checkLinkCount(of child: SiteName) throws(OpenRefusal) {
        let state = children[child] ?? GateChild()
        guard state.closing.count + (state.link == nil ? 0 : 1) < GateChild.linkCountMax else {
            throw OpenRefusal(
                code: .tooMany,
                message: "the site has \(GateChild.linkCountMax) links that are not closed yet")
        }
    }
}
