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
                refuse(key, .tooMany, "the site opens links too often", into: &effects)
            }
            return
        }
        do throws(OpenRefusal) {
            try open(request, key, at: now, into: &effects)
        } catch {
            refuse(key, error.code, error.message, into: &effects)
        }
    }

    private mutating func refuse(
        _ key: LinkKey, _ code: OpenRefusal.Code, _ message: String,
        into effects: inout [GateEffect]
    ) {
        let refusal = OpenRefusal(code: code, message: message)
        effects.append(
            .publish(key.child, .open, OpenAnswer.refused(key.link, refusal).encoded))
        effects.append(.report(.refused(key.child, refusal)))
    }

    private mutating func open(
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
        if let current = state.link {
            guard try !isRepetition(request, key, of: current, at: now, into: &effects) else {
                return
            }
        }
        guard state.closing.count + (state.link == nil ? 0 : 1) < GateChild.linkCountMax else {
            throw OpenRefusal(
                code: .tooMany,
                message: "the site has \(GateChild.linkCountMax) links that are not closed yet")
        }
        if let current = state.link {
            withLink(LinkKey(key.child, current), at: now, into: &effects) { link, effects in
                link.close("the site has opened another link", at: now, into: &effects)
            }
        }
        let terms = OpenTerms(
            bus: configuration.bus, mount: mount.description, maximum: configuration.maximum,
            window: configuration.window)
        insert(key, request, terms, at: now)
        effects.append(.publish(key.child, .open, OpenAnswer.accepted(key.link, terms).encoded))
        effects.append(.connect(key))
        effects.append(.report(.opened(key, host: request.host, program: request.program)))
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
            throw OpenRefusal(
                code: .nameTaken,
                message: "the name '\(child)' belongs to this site or to one above it")
        }
        guard let mount = configuration.children[child] else {
            throw OpenRefusal(
                code: .unknownSite,
                message: "the configuration of '\(configuration.name)' has no child '\(child)'")
        }
        return mount
    }

    /// Answers a request that came twice. Returns whether it did; throws if the child's link belongs to
    /// another machine.
    private mutating func isRepetition(
        _ request: OpenRequest, _ key: LinkKey, of current: LinkID, at now: Duration,
        into effects: inout [GateEffect]
    ) throws(OpenRefusal) -> Bool {
        guard let link = links[LinkKey(key.child, current)] else {
            return false
        }
        guard link.request.instance == request.instance else {
            throw OpenRefusal(
                code: .nameTaken,
                message: "the host '\(link.request.host.escapedForDisplay())' has held a link of "
                    + "'\(key.child)' for \((now - link.openedAt).components.seconds) s")
        }
        guard current == key.link else {
            return false
        }
        effects.append(
            .publish(key.child, .open, OpenAnswer.accepted(key.link, link.terms).encoded))
        return true
    }
}
