// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeSession
import CascadeWire

/// The session on the site's own bus, which holds `/` for all that is above.
extension Bridge {
    /// The visits of `/` that may be under way.
    static let concurrency: UInt16 = 1_024
    /// The largest number of responders at `/`: the default of the limit `respondersPerNode`.
    private static let respondersMax = 1_024

    // MARK: - Connection

    /// The connection to the site's own bus is open.
    package mutating func homeConnected(at now: Duration, into effects: inout [BridgeEffect]) {
        home.connected(into: &homeEffects)
        if !rootClaim.isMade {
            askForRoot(at: now)
        }
        finish(at: now, into: &effects)
    }

    /// The connection to the site's own bus is lost.
    package mutating func homeDisconnected(at now: Duration, into effects: inout [BridgeEffect]) {
        loseHome(at: now)
        finish(at: now, into: &effects)
    }

    /// Processes a message of the site's own bus.
    package mutating func homeReceived(
        _ message: [UInt8], at now: Duration, into effects: inout [BridgeEffect]
    ) {
        do throws(WireError) {
            let header = try Header(parsing: message)
            try home.received(header, message.span.bytes, into: &homeEffects)
        } catch {
            effects.append(.report(.homeFault(error.description)))
            loseHome(at: now)
        }
        finish(at: now, into: &effects)
    }

    /// Keeps what is under way above for the visits that come again.
    private mutating func loseHome(at now: Duration) {
        if home.state != .disconnected {
            home.disconnected(into: &homeEffects)
        }
        releaseVisits()
        rootDeclaration.rootLost()
        rootClaim.connectionLost(patience: configuration.patience, at: now)
    }

    /// Lets no visit of an earlier connection wait for an outcome any longer.
    private mutating func releaseVisits() {
        for token in crossings.release() + waiting.release() {
            end(token, .passed)
        }
    }

    // MARK: - Effects

    mutating func performHome(
        _ effect: SessionEffect, at now: Duration, into effects: inout [BridgeEffect]
    ) {
        switch effect {
        case .send(let header): effects.append(.sendHome(header.encoded()))
        case .sendMessage(let message): effects.append(.sendHome(message))
        case .sendRaised(let header, let fields, let payload):
            effects.append(.sendHome(header.encoded(fields, payload)))
        case .reconnect: effects.append(.connectHome)
        case .beat(let beat): home.beatAnswered(beat, into: &homeEffects)
        case .invoke(let invocation): visited(invocation.token, at: now)
        case .cancelled(let token):
            if !cancelInspection(token, .home) {
                cancel(token)
            }
        case .ended(let header, let message): endedAtHome(header, message, into: &effects)
        case .raiseRefused(let ticket, let refused): messageIsRefused(ticket, refused)
        case .answered(homeQueries.formerValues.request, let message):
            takeFormerValues(message)
            askForRoot(at: now)
        case .answered(homeQueries.subscribers.request, let message): applySubscribers(message)
        case .answered(homeQueries.preferences.request, let message): applyPreferences(message)
        case .answered(let request, let message): _ = answered(request, .home, message)
        case .attached: rootIsHeld(at: now)
        case .refused(let request, let refused):
            refusedAtHome(request, refused, at: now, into: &effects)
        case .detached where leaveRequests.home != nil: break
        case .detached(let detached):
            effects.append(.report(.homeRefused(detached.sentence)))
            rootClaim.detached(patience: configuration.patience, at: now)
            rootDeclaration.rootLost()
            releaseVisits()
        case .violated(let violation):
            effects.append(.report(.homeFault(violation.sentence)))
            loseHome(at: now)
        case .welcomed(let welcome): welcomedAtHome(welcome, at: now, into: &effects)
        case .creditReturned:
            // The session has attached the root by itself after a reconnect.
            if home.number(of: .root) != nil, !rootClaim.isHeld {
                rootIsHeld(at: now)
            }
        case .done(leaveRequests.home): leaveRequests.home = nil
        case .done(let request): rootDeclaration.done(request)
        case .accepted, .settled, .settledBefore, .moved, .environment:
            break
        }
    }

    private mutating func welcomedAtHome(
        _ welcome: Welcome, at now: Duration, into effects: inout [BridgeEffect]
    ) {
        environment.limit(by: welcome.limits)
        if let sentence = welcome.unfitness(for: configuration, of: "the site's own bus") {
            effects.append(.report(.homeRefused(sentence)))
            rootClaim.isBusUnfit = true
            refuse(sentence, at: now, into: &effects)
            link.stopDialling()
        } else if rootClaim.isBusUnfit {
            rootClaim.isBusUnfit = false
            link.refusalEnded()
        }
    }

    private mutating func refusedAtHome(
        _ request: UInt64, _ refused: Refused, at now: Duration,
        into effects: inout [BridgeEffect]
    ) {
        guard !self.refused(request, .home, refused), !homeQueries.refused(request) else {
            return
        }
        if request == homeQueries.formerValues.request {
            homeQueries.formerValues.isAnswered = true
            askForRoot(at: now)
            return
        }
        let change = rootDeclaration.refused(request)
        if let change, change.hasValues {
            environment.refuse("values of '\(parentName)' are not read: \(refused.sentence)")
            declareRoot(abandons: change.abandons)
        } else if let change, change.isUnderWay, change.isCarrying,
            !rootDeclaration.isCarryingConfirmed
        {
            let sentence =
                "the site's own bus does not let '/' stand for '\(parentName)': \(refused.sentence)"
            refuse(sentence, at: now, into: &effects)
        }
        if home.number(of: .root) == nil {
            effects.append(.report(.homeRefused(refused.sentence)))
            rootClaim.refused(sessionAsksAgain: request == home.reattachRequest, at: now)
        } else if change != nil {
            effects.append(.report(.changeRefused(refused.sentence)))
        }
        // Anything else is a query on behalf of a request that has ended by now.
    }

    // MARK: - The root

    mutating func askForRoot(at now: Duration) {
        rootClaim.pauseEnded()
        guard !rootClaim.isMade else {
            // On another connection the session asks again by itself.
            loseHome(at: now)
            return
        }
        guard homeQueries.formerValues.isAnswered || configuration.parent == nil else {
            askForFormerValues()
            return
        }
        rootClaim.made()
        home.attach(
            [wantedRootDeclaration], names: [], request: nextRequest(), into: &homeEffects)
    }

    private mutating func rootIsHeld(at now: Duration) {
        rootClaim.granted()
        askForWhatIsBelow()
        if configuration.parent != nil {
            link.dialUnlessSentAway(at: now)
        }
    }

    /// Replaces the declaration of `/` by the present one.
    ///
    /// - Parameter abandons: Whether the visits that have been accepted count as lost. Then it is sent at
    ///   once, and otherwise at the end of the input.
    mutating func declareRoot(abandons: Bool = false) {
        rootDeclaration.markDue()
        if abandons {
            sendDueDeclaration(abandons: true)
        }
    }

    mutating func sendDueDeclaration(abandons: Bool = false) {
        guard !rootDeclaration.isSettled else {
            return
        }
        guard let node = home.number(of: .root) else {
            rootDeclaration.assumeConfirmed()
            return
        }
        guard rootDeclaration.isSendable(abandons: abandons) else {
            return
        }
        let request = nextRequest()
        rootDeclaration.changeSent(
            request, hasValues: !environment.settings().settings.isEmpty, abandons: abandons)
        home.change(
            Change(
                request: request, node: node, declaration: wantedRootDeclaration,
                abandons: abandons),
            into: &homeEffects)
    }

    /// The declaration of `/`: the bridge's own responder, and those that stand for what is above.
    private var wantedRootDeclaration: NodeDeclaration {
        let configuration = configuration
        let ofAbove =
            rootDeclaration.isCarrying
            ? namesAbove?.responders(countMax: Self.respondersMax - 1) {
                configuration.up.contains($0)
            } ?? [] : []
        var declaration = NodeDeclaration(
            path: .root, responders: [ResponderDeclaration(.respond, .inspection)] + ofAbove,
            concurrency: Self.concurrency, prefetch: Self.concurrency)
        declaration.assignments.settings = [
            EnvironmentSetting("site.name", JSONValue.text(configuration.name).text),
            EnvironmentSetting("site.path", JSONValue.array(sitePath.map { .string($0) }).text),
        ]
        if rootDeclaration.isCarrying {
            declaration.assignments.settings.append(EnvironmentSetting("site.link", "\"up\""))
        }
        declaration.assignments.settings += environment.settings().settings
        return declaration
    }

    /// The names of the sites from the root site down to this one.
    var sitePath: [String] {
        let own = configuration.name.description
        guard let parent = configuration.parent else {
            return [own]
        }
        return (environment.sites.isEmpty ? [parent.description] : environment.sites) + [own]
    }
}

extension Header {
    /// Returns the whole message that this header begins.
    func encoded(_ fields: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        let count = Self.byteCount + fields.count + payload.count
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            write(into: bytes)
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[Self.byteCount...])
            rest.copyBytes(from: fields)
            UnsafeMutableRawBufferPointer(rebasing: rest[fields.count...]).copyBytes(from: payload)
            initializedCount = count
        }
    }
}

extension Welcome {
    /// Why a bridge cannot work with this daemon; `nil` if it can.
    func unfitness(for configuration: BridgeConfiguration, of bus: String) -> String? {
        guard !limits.contains(where: { $0.name == "sites" }) else {
            return nil
        }
        return
            "versionMismatch: \(bus) '\(self.bus)' has a daemon of release \(release), which knows no "
            + "sites, and this is \(configuration.program); install the newer release of cascaded"
    }
}
