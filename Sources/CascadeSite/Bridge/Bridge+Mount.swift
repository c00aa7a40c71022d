// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeSession
import CascadeWire

/// What the mount declares for the site: stand-ins for its subscribers, and the preferences of its root.
///
/// One change is under way at a time. The next one has whatever is due by then.
extension Bridge {
    /// The bytes by which an attach of the mount may exceed its change.
    private static let attachReserve = 512

    // MARK: - What is below

    /// Asks the site's own bus for the names that are subscribed to, and for the preferences. The session
    /// asks again on each connection.
    mutating func askForWhatIsBelow() {
        guard configuration.parent != nil, homeQueries.subscribers.request == nil else {
            return
        }
        let subscribers = nextRequest()
        homeQueries.subscribers.asked(as: subscribers)
        home.send(
            Query(request: subscribers, .summary(path: .root), isRepeating: true),
            into: &homeEffects)
        let preferences = nextRequest()
        homeQueries.preferences.asked(as: preferences)
        home.send(
            Query(request: preferences, .preferences(path: .root), isRepeating: true),
            into: &homeEffects)
    }

    mutating func applySubscribers(_ message: [UInt8]) {
        guard let answer = try? DocumentAnswer(parsing: message),
            let summary = try? JSONValue(parsing: answer.document)
        else {
            return
        }
        homeQueries.subscribers.isAnswered = true
        hasMoreSubscribers = summary["more"]?.bool ?? false
        standIns = (summary["below"]?.elements ?? []).compactMap { entry in
            guard let name = entry["name"]?.string.flatMap({ try? EventName($0) }),
                configuration.down.contains(name)
            else {
                return nil
            }
            return StandIn(
                name, levels: entry["level"]?.integer() ?? 0, turn: entry["turn"]?.integer() ?? 0)
        }
        isMountDue = true
    }

    mutating func applyPreferences(_ message: [UInt8]) {
        guard let answer = try? DocumentAnswer(parsing: message),
            let offers = try? [PreferenceOffer](preferences: answer.document)
        else {
            return
        }
        homeQueries.preferences.isAnswered = true
        offerTrial.want(offers.filter { configuration.preferences.contains($0.key) })
        isMountDue = true
    }

    // MARK: - The declaration

    /// The declaration of the mount.
    func mountDeclaration(
        at path: NodePath, standIns: [StandIn] = [], offers: [PreferenceOffer] = []
    ) -> NodeDeclaration {
        var declaration = NodeDeclaration(
            path: path, responders: [ResponderDeclaration(.respond, .inspection)],
            concurrency: Self.concurrency, prefetch: Self.concurrency)
        declaration.isMount = true
        declaration.standIns = standIns
        declaration.assignments.offers = offers
        return declaration
    }

    private var wantedStandIns: [StandIn] {
        refusedStandIns == nil ? standIns : []
    }

    /// Whether the parent's bus knows the stand-ins.
    var isMountDeclared: Bool {
        homeQueries.tellWhatIsBelow && mountChange == nil
            && mountDeclared?.standIns == wantedStandIns
    }

    /// Sends the next change of the mount, if one is due and none is under way.
    mutating func sendDueMount() {
        guard isMountDue, mountChange == nil, homeQueries.tellWhatIsBelow,
            let mount = paths?.mount, let node = above.number(of: mount)
        else {
            return
        }
        var declaration = mountDeclaration(
            at: mount, standIns: wantedStandIns, offers: offerTrial.takenOffers)
        if declaration == mountDeclared {
            let tried = offerTrial.nextTried()
            guard !tried.isEmpty else {
                isMountDue = false
                return
            }
            declaration.assignments.offers += tried
        }
        let change = Change(request: nextRequest(), node: node, declaration: declaration)
        mountChange = (change.request, declaration)
        // Another connection begins with an attach of what is declared, which is a little longer.
        let byteCount = change.encoded().count + Self.attachReserve
        guard byteCount <= terms?.maximum ?? .max else {
            let refused = Refused(
                request: change.request, code: .limitReached,
                sentence: "the mount's declaration has \(byteCount) bytes, and the link carries at "
                    + "most \(terms?.maximum ?? 0)")
            _ = mountIsRefused(change.request, refused)
            sendDueMount()
            return
        }
        above.change(change, into: &aboveEffects)
    }

    /// The parent's bus has confirmed a request.
    mutating func doneAbove(_ request: UInt64) {
        if request == leaveRequests.above {
            leaveRequests.above = nil
        }
        guard let change = mountChange, change.request == request else {
            return
        }
        mountChange = nil
        offerTrial.wereTaken()
        mountDeclared = change.declaration
        isMountDue = true
    }

    /// The parent's bus has refused a change of the mount. Its stand-ins, or its offers, are
    /// left out of the next declaration.
    ///
    /// - Returns: Whether the request was for a change.
    mutating func mountIsRefused(_ request: UInt64, _ refused: Refused) -> Bool {
        guard let change = mountChange, change.request == request else {
            return false
        }
        mountChange = nil
        isMountDue = true
        if !offerTrial.wereRefused(refused.sentence) {
            if change.declaration.standIns != mountDeclared?.standIns ?? [] {
                refusedStandIns = refused.sentence
            } else {
                offerTrial.reset()
            }
        }
        return true
    }

    /// Another link begins, or another mount: what was refused is tried again.
    mutating func retryRefused(isNew: Bool) {
        refusedStandIns = nil
        isMountDue = true
        if isNew {
            mountChange = nil
            mountDeclared = nil
            offerTrial.reset()
        }
    }

    // MARK: - What does not cross

    /// What does not cross between this site and its parent, as sentences.
    var notCarried: [String] {
        var sentences: [String] = []
        let omitted = carriedValues().omitted
        if let first = omitted.first {
            sentences.append(
                "\(omitted.count) values of '\(parentName)' are not read here, '\(first)' among "
                    + "them: they exceed the limits of this bus")
        }
        sentences += [refusedValues, unknownValues].compactMap(\.self)
        if hasMoreSubscribers {
            sentences.append(
                "more than 1,024 names are subscribed to, so publications of some of them do not "
                    + "come down from '\(parentName)'")
        }
        if let refusedStandIns {
            sentences.append(
                "no publications come down from '\(parentName)': \(refusedStandIns)")
        }
        return sentences
            + offerTrial.refused.map { key, sentence in
                "the preference '\(key)' is not offered to '\(parentName)': \(sentence)"
            }
    }
}
