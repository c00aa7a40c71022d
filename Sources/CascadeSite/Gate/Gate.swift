// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// An action that the owner of a gate must perform, in order.
package enum GateEffect: Equatable, Sendable {
    /// Publish a message to a child.
    case publish(SiteName, LinkAddress, [UInt8])
    /// Open a connection to the bus for a link, and call ``Gate/busConnected(_:at:into:)``.
    case connect(LinkKey)
    /// Send a frame on the connection to the bus.
    case deliver(LinkKey, ArraySlice<UInt8>)
    /// The frame of the bus that was refused as ``LinkAcceptance/full`` has room.
    case room(LinkKey)
    /// Close the connection to the bus, and call ``Gate/busDisconnected(_:_:at:into:)``.
    case disconnect(LinkKey)
    /// An event for the log.
    case report(GateReport)
}

/// An event of a gate, for the log.
package enum GateReport: Equatable, Sendable {
    /// A child has opened a link. `roundTrip` is the time from the gate's answer to the child's first frames;
    /// `nil` if another message opened the link, because a keep-alive comes only after a pause.
    case opened(LinkKey, host: String, program: String, roundTrip: Duration?)
    /// The connection of an open link to the bus is open.
    case served(LinkKey)
    case ended(LinkKey, LinkEnd)
    /// The gate refuses a child: it has answered a request so, or will answer the next one so.
    case refused(SiteName, OpenRefusal)
}

/// The messages that a gate ignored, by their reason.
package struct GateCounters: Equatable, Sendable {
    /// Messages of links that the gate does not have: those of an earlier link or gate.
    package internal(set) var unknownLinks: UInt64 = 0
    /// Requests that came again after their link had ended.
    package internal(set) var staleOpenings: UInt64 = 0
    package internal(set) var malformedOpenings: UInt64 = 0
    /// Requests beyond the limit of a second.
    package internal(set) var floodedOpenings: UInt64 = 0

    package init() {}
}

/// The parent's end of the links of all its children, as a state machine.
///
/// A gate admits children, gives each link a connection to its bus, and passes frames. It reads none of
/// them except for greetings, in which it names the child (`GreetingKey`). It has no subject, clock or
/// connection: the owner performs the ``GateEffect``s. Which child has sent a message is known from its
/// subject alone, which the server has authorized.
package struct Gate: Sendable {
    package private(set) var configuration: GateConfiguration
    /// The names of the sites above this one.
    package private(set) var ancestors: Set<SiteName> = []
    package internal(set) var counters = GateCounters()

    var links: [LinkKey: GateLink] = [:]
    var children: [SiteName: GateChild] = [:]
    /// The state shared by all children that the configuration does not name.
    var strangers = GateChild()
    /// Whether the transport has a connection.
    private(set) var isConnected = true

    /// No link has to act before this time; `nil` if there are no links.
    var nextDeadline: Duration?
    private var lastPass = Duration.zero
    /// The least time between two passes over all links.
    private static let passInterval = Duration.milliseconds(10)

    package init(_ configuration: GateConfiguration) {
        self.configuration = configuration
    }

    /// The open links.
    package var openLinks: [LinkKey] {
        Array(links.keys)
    }

    /// The bytes that the gate has sent on all links and the children have not acknowledged.
    package var unacknowledgedByteCount: Int {
        links.values.reduce(0) { $0 + $1.link.unacknowledgedByteCount }
    }

    // MARK: - Messages of children

    /// Processes a message on the subject of a child.
    package mutating func received(
        _ message: [UInt8], from child: SiteName, on address: LinkAddress, at now: Duration,
        into effects: inout [GateEffect]
    ) {
        switch address {
        case .open:
            receiveOpening(message, from: child, at: now, into: &effects)
        case .link(let link):
            let key = LinkKey(child, link)
            guard links[key] != nil || openOffered(key, with: message, at: now, into: &effects)
            else {
                return
            }
            withLink(key, at: now, into: &effects) { link, effects in
                guard link.hasReceivedFrames || !LinkMessage.followsFrames(message) else {
                    // An earlier gate has received the first frames of the child.
                    link.close(Self.missesFrames, at: now, into: &effects)
                    return
                }
                link.received(message, at: now, into: &effects)
            }
        }
    }

    /// The reason of the end of a link whose first frames this gate does not have.
    package static let missesFrames = "the gate does not have the first frames of this link"

    mutating func receiveUnknown(
        _ key: LinkKey, at now: Duration, into effects: inout [GateEffect]
    ) {
        counters.unknownLinks += 1
        let isAnswered = withChild(key.child) { $0.answersUnknownLink(at: now) }
        if isAnswered {
            publishClose(of: key, "the gate does not know this link", into: &effects)
        }
    }

    /// Closes a link that the gate does not have.
    func publishClose(of key: LinkKey, _ reason: String, into effects: inout [GateEffect]) {
        let message = LinkMessage.encoded(.close(reason), taken: 0)
        effects.append(.publish(key.child, .link(key.link), message))
    }

    /// Changes what the gate keeps of a child, which for all unknown children is the same.
    mutating func withChild<Result>(
        _ child: SiteName, _ change: (inout GateChild) -> Result
    ) -> Result {
        guard configuration.children[child] != nil else {
            return change(&strangers)
        }
        return change(&children[child, default: GateChild()])
    }

    // MARK: - The connection to the bus

    /// Delivers what the child has sent since it opened the link.
    package mutating func busConnected(
        _ key: LinkKey, at now: Duration, into effects: inout [GateEffect]
    ) {
        if links[key] != nil {
            effects.append(.report(.served(key)))
        }
        resume(key, at: now, into: &effects)
    }

    /// Ends the link of a connection that the bus has closed, or that could not be opened. After
    /// ``GateEffect/disconnect(_:)`` it says that the connection is closed.
    package mutating func busDisconnected(
        _ key: LinkKey, _ reason: String, at now: Duration, into effects: inout [GateEffect]
    ) {
        // The last frame of the bus, which says why, is published before the end.
        close(key, reason, at: now, into: &effects)
        children[key.child]?.closing.remove(key.link)
        if configuration.children[key.child] == nil, children[key.child]?.closing.isEmpty == true {
            children[key.child] = nil
        }
    }

    /// Accepts a frame of the bus for the child of a link. Of a frame that is too long, the child gets
    /// the first part, and refuses it to the bus.
    package mutating func send(_ frame: [UInt8], on key: LinkKey) -> LinkAcceptance {
        guard let index = links.index(forKey: key) else {
            return .accepted
        }
        return links.values[index].link.send(frame, ifTooLong: .sendFirstPart)
    }

    /// Publishes what was accepted for a link. The owner calls it at the end of each of its turns.
    package mutating func flush(
        _ key: LinkKey, at now: Duration, into effects: inout [GateEffect]
    ) {
        withLink(key, at: now, into: &effects) { link, effects in
            link.flush(at: now, into: &effects)
        }
    }

    /// Keeps the frames of a child back, because its connection to the bus takes no more bytes.
    package mutating func pause(_ key: LinkKey) {
        if let index = links.index(forKey: key) {
            links.values[index].link.pause()
        }
    }

    /// Delivers what waits; see ``Link/resume(byteCount:at:into:)``.
    @discardableResult
    package mutating func resume(
        _ key: LinkKey, at now: Duration, into effects: inout [GateEffect]
    ) -> Bool {
        var isDone = true
        withLink(key, at: now, into: &effects) { link, effects in
            isDone = link.resume(at: now, into: &effects)
        }
        return isDone
    }

    // MARK: - Configuration

    /// Replaces the names of the sites above.
    package mutating func setAncestors(
        _ names: Set<SiteName>, into effects: inout [GateEffect]
    ) {
        ancestors = names
        refuseNamesakes(into: &effects)
    }

    /// Refuses the children of the configuration that have the name of a site above. The report does not wait for
    /// their requests, because a site of that name that is only above asks for no link.
    private func refuseNamesakes(into effects: inout [GateEffect]) {
        let namesakes = ancestors.filter { configuration.children[$0] != nil }
        for child in namesakes.sorted(by: { $0.description < $1.description }) {
            effects.append(.report(.refused(child, nameRefusal(of: child))))
        }
    }

    /// Replaces the configuration. The link of a child that it does not name any more, or that it names
    /// at another mount, ends.
    package mutating func configure(
        _ configuration: GateConfiguration, at now: Duration, into effects: inout [GateEffect]
    ) {
        let before = self.configuration
        self.configuration = configuration
        refuseNamesakes(into: &effects)
        for child in children.keys where configuration.children[child] != before.children[child] {
            children[child]?.endOffers()
        }
        for key in sortedKeys {
            let mount = configuration.children[key.child]
            guard mount != before.children[key.child] else {
                continue
            }
            let reason =
                mount == nil
                ? "the parent's configuration does not contain this site any more"
                : "the parent has moved the mount of this site"
            close(key, reason, at: now, into: &effects)
        }
        children = children.filter { child, state in
            configuration.children[child] != nil || !state.closing.isEmpty
        }
    }

    /// Ends a link, because the transport does not carry one of its messages.
    package mutating func close(
        _ key: LinkKey, _ reason: String, at now: Duration, into effects: inout [GateEffect]
    ) {
        withLink(key, at: now, into: &effects) { link, effects in
            link.close(reason, at: now, into: &effects)
        }
    }

    /// Ends all links, because the gate stops.
    package mutating func close(
        _ reason: String, at now: Duration, into effects: inout [GateEffect]
    ) {
        for key in sortedKeys {
            close(key, reason, at: now, into: &effects)
        }
    }

    // MARK: - Transport and time

    package mutating func disconnected() {
        isConnected = false
        for index in links.indices {
            links.values[index].link.disconnected()
        }
    }

    /// Publishes on a new connection what is not acknowledged.
    package mutating func connected(at now: Duration, into effects: inout [GateEffect]) {
        isConnected = true
        for key in sortedKeys {
            withLink(key, at: now, into: &effects) { link, effects in
                link.connected(at: now, into: &effects)
            }
        }
    }

    /// When the gate has to act; `nil` if it has no links. It may come before any link has to act.
    package var deadline: Duration? {
        nextDeadline.map { max($0, lastPass + Self.passInterval) }
    }

    /// Performs what is due at `now`.
    package mutating func timePassed(at now: Duration, into effects: inout [GateEffect]) {
        guard let deadline, deadline <= now else {
            return
        }
        lastPass = now
        nextDeadline = nil
        var due: [LinkKey] = []
        for (key, entry) in links {
            if let deadline = entry.link.deadline, deadline <= now {
                due.append(key)
            } else {
                advanceDeadline(to: entry.link.deadline)
            }
        }
        for key in Self.sorted(due) {
            withLink(key, at: now, into: &effects) { link, effects in
                link.timePassed(at: now, into: &effects)
            }
        }
    }

    private var sortedKeys: [LinkKey] {
        Self.sorted(links.keys)
    }

    /// Returns keys in an order that is the same in each run.
    private static func sorted(_ keys: some Sequence<LinkKey>) -> [LinkKey] {
        keys.sorted {
            ($0.child.description, $0.link.rawValue) < ($1.child.description, $1.link.rawValue)
        }
    }
}
