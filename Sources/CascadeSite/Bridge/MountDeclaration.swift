// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What the mount declares for the site: stand-ins for its subscribers, and the preferences of its root.
///
/// One change is under way at a time. The next one has whatever is due by then. What the parent's bus refuses
/// is left out of it.
struct MountDeclaration: Sendable {
    private var subscribed = SubscribedNames()
    private var offers = OfferTrial()
    /// Why the parent's bus takes no stand-ins.
    private var refusedStandIns: String?
    /// The number of the request that has attached the mount, or asks for it; `nil` if the session above does
    /// not have the mount.
    private(set) var attachRequest: UInt64?
    /// The declaration that the parent's bus has confirmed, or with which the mount is being attached.
    private var confirmed: NodeDeclaration?
    /// Whether the declaration may have to be changed.
    private var isDue = false
    /// The change that is under way.
    private var change: (request: UInt64, declaration: NodeDeclaration)?

    // MARK: - What is wanted

    mutating func want(_ names: SubscribedNames) {
        subscribed = names
        isDue = true
    }

    mutating func want(_ preferences: [PreferenceOffer]) {
        offers.want(preferences)
        isDue = true
    }

    private var wantedStandIns: [StandIn] {
        refusedStandIns == nil ? subscribed.standIns : []
    }

    // MARK: - Attaching

    /// Begins with a declaration that has neither stand-ins nor offers, and returns it.
    mutating func attach(at mount: NodePath, request: UInt64) -> NodeDeclaration {
        let declaration = NodeDeclaration(mount: mount)
        attachRequest = request
        confirmed = declaration
        return declaration
    }

    /// The parent's bus does not let the session have the mount, or has detached it.
    mutating func detached() {
        attachRequest = nil
    }

    mutating func moved(to mount: NodePath) {
        confirmed?.path = mount
        isDue = true
    }

    /// Another link begins: what was refused is tried again, and a mount that is not attached begins anew.
    mutating func linkOpened() {
        refusedStandIns = nil
        isDue = true
        if attachRequest == nil {
            change = nil
            confirmed = nil
            offers.reset()
        }
    }

    /// The policy of the parent's bus may have changed: stand-ins that it has refused are tried again.
    mutating func tryRefusedAgain() {
        if refusedStandIns != nil {
            refusedStandIns = nil
            isDue = true
        }
    }

    // MARK: - Changes

    /// Whether the parent's bus knows the stand-ins.
    var isConfirmed: Bool {
        change == nil && confirmed?.standIns == wantedStandIns
    }

    /// Whether a change may be due, and none is under way.
    var mayChange: Bool {
        isDue && change == nil
    }

    /// Returns the declaration to send next; `nil` if the parent's bus knows all that it takes.
    mutating func nextDeclaration(at mount: NodePath) -> NodeDeclaration? {
        var declaration = NodeDeclaration(
            mount: mount, standIns: wantedStandIns, offers: offers.takenOffers)
        if declaration == confirmed {
            let tried = offers.nextTried()
            guard !tried.isEmpty else {
                isDue = false
                return nil
            }
            declaration.assignments.offers += tried
        }
        return declaration
    }

    mutating func changeSent(_ request: UInt64, _ declaration: NodeDeclaration) {
        change = (request, declaration)
    }

    /// The parent's bus has confirmed a request, which may be the change.
    mutating func done(_ request: UInt64) {
        guard let change, change.request == request else {
            return
        }
        self.change = nil
        offers.wereTaken()
        confirmed = change.declaration
        isDue = true
    }

    /// The parent's bus has refused a request. If it is the change, its stand-ins, or its offers, are left
    /// out of the next declaration.
    ///
    /// - Returns: Whether the request was for a change.
    mutating func refused(_ request: UInt64, _ sentence: String) -> Bool {
        guard let change, change.request == request else {
            return false
        }
        self.change = nil
        isDue = true
        if !offers.wereRefused(sentence) {
            if change.declaration.standIns != confirmed?.standIns ?? [] {
                refusedStandIns = sentence
            } else {
                offers.reset()
            }
        }
        return true
    }

    // MARK: - What does not cross

    /// The subscriptions and preferences that do not cross to the parent, as sentences.
    func notCarried(parent: String) -> [String] {
        var sentences: [String] = []
        if subscribed.areTruncated {
            sentences.append(
                "more than 1,024 names are subscribed to, so publications of some of them do not "
                    + "come down from '\(parent)'")
        }
        if let refusedStandIns {
            sentences.append("no publications come down from '\(parent)': \(refusedStandIns)")
        }
        return sentences
            + offers.refused.map { key, sentence in
                "the preference '\(key)' is not offered to '\(parent)': \(sentence)"
            }
    }
}

extension NodeDeclaration {
    /// The declaration of a mount.
    fileprivate init(
        mount: NodePath, standIns: [StandIn] = [], offers: [PreferenceOffer] = []
    ) {
        self.init(
            path: mount, responders: [ResponderDeclaration(.respond, .inspection)],
            concurrency: Bridge.concurrency, prefetch: Bridge.concurrency)
        isMount = true
        self.standIns = standIns
        assignments.offers = offers
    }
}
