// SPDX-License-Identifier: Apache-2.0

/// One link of a gate: the child that opened it, and its number.
package struct LinkKey: Hashable, Sendable {
    package let child: SiteName
    package let link: LinkID

    package init(_ child: SiteName, _ link: LinkID) {
        self.child = child
        self.link = link
    }

    /// The number alone, which is random, tells most keys apart; each frame looks several up.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(link)
    }
}

/// An open link of a gate, and what its request said.
struct GateLink: Sendable {
    var link: Link
    let request: OpenRequest
    let terms: OpenTerms
    let openedAt: Duration
}

/// A request that the gate has answered, and on whose link the child has sent no message yet.
struct LinkOffer: Sendable {
    let request: OpenRequest
    let terms: OpenTerms
    let offeredAt: Duration
}

/// What a gate keeps of one child.
struct GateChild: Sendable {
    /// The number of ended links that a child's repeated requests are compared with.
    private static let endedCountMax = 64
    /// The links of a child whose connections to the bus are not closed yet.
    static let linkCountMax = 4
    private static let openingsPerSecond = 10
    private static let second = Duration.seconds(1)

    /// The child's open link.
    var link: LinkID?
    /// The answered requests since that of the open link, the latest at the end.
    private(set) var offers: [LinkOffer] = []
    /// The ended links whose connections to the bus are still to be closed.
    var closing: Set<LinkID> = []
    /// The links that ended last, the latest at the end.
    private(set) var ended: [LinkID] = []
    private var openings: (since: Duration, count: Int) = (.zero, 0)
    private var refusedFlood: Duration?
    private var unknownAnswered: Duration?

    /// Adds an offer. Of more than ``linkCountMax`` offers, the oldest one ends: the child has given up its
    /// request. Returns the link of that offer.
    mutating func append(_ offer: LinkOffer) -> LinkID? {
        offers.append(offer)
        guard offers.count > Self.linkCountMax else {
            return nil
        }
        let link = offers.removeFirst().request.link
        append(ended: link)
        return link
    }

    func offer(of link: LinkID) -> LinkOffer? {
        offers.first { $0.request.link == link }
    }

    /// Removes the offer of a link that opens. The links of the earlier offers have ended, because the
    /// child has given up their requests.
    mutating func acceptOffer(of link: LinkID) {
        while let offer = offers.first {
            offers.removeFirst()
            guard offer.request.link != link else {
                return
            }
            append(ended: offer.request.link)
        }
    }

    /// Removes the offer of a link that does not open. The link has ended.
    mutating func endOffer(of link: LinkID) {
        offers.removeAll { $0.request.link == link }
        append(ended: link)
    }

    /// Removes all offers. Their links have ended, because the terms of an answer do not change.
    mutating func endOffers() {
        for offer in offers {
            append(ended: offer.request.link)
        }
        offers = []
    }

    mutating func append(ended link: LinkID) {
        ended.append(link)
        if ended.count > Self.endedCountMax {
            ended.removeFirst()
        }
    }

    /// Counts an opening. Returns whether the child may have another one in this second.
    mutating func admitsOpening(at now: Duration) -> Bool {
        if openings.count == 0 || now - openings.since >= Self.second {
            openings = (now, 0)
        }
        openings.count += 1
        return openings.count <= Self.openingsPerSecond
    }

    /// Whether an opening beyond the limit is answered: one in each second.
    mutating func answersFlood(at now: Duration) -> Bool {
        Self.passes(&refusedFlood, at: now)
    }

    /// Whether a message of an unknown link is answered: one in each second.
    mutating func answersUnknownLink(at now: Duration) -> Bool {
        Self.passes(&unknownAnswered, at: now)
    }

    private static func passes(_ last: inout Duration?, at now: Duration) -> Bool {
        if let last, now - last < second {
            return false
        }
        last = now
        return true
    }
}
