// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// The mount: how it is attached, and what it declares for the site, from the answers of the site's own bus.
extension Bridge {
    /// The bytes by which an attach of the mount may exceed its change.
    private static let attachReserve = 512

    // MARK: - Attaching

    /// Asks for the mount, and for what is above it.
    mutating func askForMount(at path: NodePath) {
        mountClaim.made()
        let request = nextRequest()
        let declaration = mountDeclaration.attach(at: path, request: request)
        above.attach([declaration], names: [], request: request, into: &aboveEffects)
        askForNames(above: path)
        askForValues(at: path)
    }

    /// The parent's configuration has another place for the site. What is under way goes on from there.
    mutating func moveMount(to mount: NodePath) {
        if mountDeclaration.attachRequest != nil, let old = paths?.mount {
            above.move(old, to: mount, into: &aboveEffects)
        } else {
            paths = nil
        }
    }

    /// Lets `/` respond for the nodes above, once the mount is attached and its names and values are known.
    mutating func mountIfReady(at now: Duration) {
        guard link.isMounting, aboveQueries.areAnswered, isMountConfirmed, let mount = paths?.mount,
            above.number(of: mount) != nil, home.number(of: .root) != nil
        else {
            return
        }
        link.mounted()
        rootDeclaration.isCarrying = true
        declareRoot()
    }

    /// Gives the mount up, because the site's own bus is away.
    mutating func leaveMount(at now: Duration, into effects: inout [BridgeEffect]) {
        rootClaim.patienceEnded()
        if link.isUp, let mount = paths?.mount, let node = above.number(of: mount) {
            // The session does not know of it: a request without an answer is sent again on the next link,
            // where the mount is attached again.
            effects.append(.sendAbove(Leave(request: nextRequest(), node: node).encoded()))
        }
        if link.isOpen {
            lose(closing: "the site's own bus is away", at: now, into: &effects)
        }
        cut(at: now)
        link.stopDialling()
    }

    // MARK: - What is below

    /// Asks the site's own bus for the names that are subscribed to, and for the preferences. The session
    /// asks again on each connection.
    mutating func askForWhatIsBelow() {
        guard configuration.parent != nil, homeQueries.subscribers.request == nil else {
            return
        }
        askRepeatedly(\.subscribers, .summary(path: .root))
        askRepeatedly(\.preferences, .preferences(path: .root))
    }

    private mutating func askRepeatedly(
        _ query: WritableKeyPath<HomeQueries, AskedQuery>, _ subject: Query.Subject
    ) {
        let request = nextRequest()
        homeQueries[keyPath: query].request = request
        home.send(Query(request: request, subject, isRepeating: true), into: &homeEffects)
    }

    mutating func applySubscribers(_ message: [UInt8]) {
        guard let answer = try? DocumentAnswer(parsing: message),
            let names = try? SubscribedNames(summary: answer.document, carried: configuration.down)
        else {
            return
        }
        homeQueries.subscribers.isAnswered = true
        mountDeclaration.want(names)
    }

    mutating func applyPreferences(_ message: [UInt8]) {
        guard let answer = try? DocumentAnswer(parsing: message),
            let offers = try? [PreferenceOffer](preferences: answer.document)
        else {
            return
        }
        homeQueries.preferences.isAnswered = true
        mountDeclaration.want(offers.filter { configuration.preferences.contains($0.key) })
    }

    // MARK: - The declaration

    /// Whether the parent's bus knows the stand-ins.
    var isMountConfirmed: Bool {
        homeQueries.tellWhatIsBelow && mountDeclaration.isConfirmed
    }

    /// Sends the next change of the mount, if one is due and none is under way.
    mutating func sendDueMount() {
        guard mountDeclaration.mayChange, homeQueries.tellWhatIsBelow,
            let mount = paths?.mount, let node = above.number(of: mount),
            let declaration = mountDeclaration.nextDeclaration(at: mount)
        else {
            return
        }
        let change = Change(request: nextRequest(), node: node, declaration: declaration)
        mountDeclaration.changeSent(change.request, declaration)
        // Another connection begins with an attach of what is declared, which is a little longer.
        let byteCount = change.encoded().count + Self.attachReserve
        guard byteCount <= link.terms?.maximum ?? .max else {
            _ = mountDeclaration.refused(
                change.request,
                "the mount's declaration has \(byteCount) bytes, and the link carries at most "
                    + "\(link.terms?.maximum ?? 0)")
            sendDueMount()
            return
        }
        above.change(change, into: &aboveEffects)
    }

    /// Tries again what the parent's bus has refused, because its policy may have changed.
    mutating func tryRefusedAgain() {
        mountDeclaration.tryRefusedAgain()
        if environment.isDenied, let mount = paths?.mount {
            askForValues(at: mount)
        }
    }

    /// The parent's bus has confirmed a request.
    mutating func doneAbove(_ request: UInt64) {
        if request == leaveRequests.above {
            leaveRequests.above = nil
        }
        mountDeclaration.done(request)
    }

    // MARK: - What does not cross

    /// What does not cross between this site and its parent, as sentences.
    var notCarried: [String] {
        environment.notCarried(parent: parentName)
            + mountDeclaration.notCarried(parent: parentName)
    }
}
