// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire
import DequeModule
import NATS
import ZeroMQ

/// A link over a NATS server to the gate of the parent.
///
/// While a link is open, connections to the server are renewed by themselves; otherwise each attempt to open a
/// link opens one.
final class ServerLink: UpperLink {
    /// What the gate learns of this site.
    struct Identity {
        var instance: String
        var host: String
        var program: String
    }

    /// The pause between connections to the server while a link is open.
    private static let renewalPause = Duration.milliseconds(250)
    /// A failure of TLS counts as refusal only if it comes again: a server that stops may break a handshake.
    private static let refusalCountMin = 2

    private let access: SiteServerAccess
    private let server: ServerTransport
    private let subjects: LinkSubjects
    private let name: SiteName
    private let identity: Identity
    private let patience: Duration
    private var link: ChildLink?
    /// The subjects of the link's messages.
    private var upSubject = ""
    private var downSubject = ""
    /// Whether a link is to be opened once the server is connected.
    private var isDialling = false
    private var renewsAt: Duration?
    /// The frames that the link has not accepted, because its window is full.
    private var held = Deque<[UInt8]>()
    private var refusalCount = 0
    /// The largest message of the server, as it told at the last connection.
    private var maxPayload = Int.max
    /// The events for the next ``turn(at:)``.
    private var events: [UpperLinkEvent] = []
    private var ignoredCount: UInt64 = 0

    /// Throws `ZeroMQError` if the process has reached its limit of descriptors.
    init(
        _ name: SiteName, below parent: SiteName, in realm: SiteName,
        over access: SiteServerAccess, identity: Identity, patience: Duration
    ) throws(ZeroMQError) {
        self.access = access
        self.name = name
        self.identity = identity
        self.patience = patience
        subjects = LinkSubjects(realm: realm, parent: parent)
        server = try ServerTransport(
            access, .site, pattern: subjects.downPattern(of: name), name: "cascade-site \(name)")
    }

    var pollItems: [PollItem] {
        server.pollItems
    }

    var hasWork: Bool {
        !events.isEmpty
    }

    var deadline: Duration? {
        .earliest(link?.deadline, renewsAt)
    }

    var roundTrip: Duration? {
        link?.roundTrip
    }

    var traffic: LinkTraffic {
        var traffic = server.traffic
        traffic.ignoredCount += ignoredCount + (link?.ignoredCount ?? 0)
        return traffic
    }

    // MARK: - Opening and closing

    func dial(at now: Duration) {
        isDialling = true
        if server.isConnected {
            openLink(at: now)
        } else {
            server.dial()
        }
    }

    private func openLink(at now: Duration) {
        isDialling = false
        let request = OpenRequest(
            link: LinkID(UInt64.random(in: .min ... .max)), instance: identity.instance,
            host: identity.host, program: identity.program)
        var effects: [ChildLinkEffect] = []
        ignoredCount += link?.ignoredCount ?? 0
        held = []
        link = ChildLink(request, patience: patience, at: now, into: &effects)
        upSubject = subjects.up(name, .link(request.link))
        downSubject = subjects.down(name, .link(request.link))
        perform(effects, at: now)
    }

    func close(_ reason: String, at now: Duration) {
        isDialling = false
        act(at: now) { $0.close(reason, at: $1, into: &$2) }
        events = []
        dropLink()
    }

    private func dropLink() {
        ignoredCount += link?.ignoredCount ?? 0
        link = nil
        held = []
        renewsAt = nil
    }

    func finish() {
        server.finish()
    }

    // MARK: - A turn

    func turn(at now: Duration) -> [UpperLinkEvent] {
        for event in server.turn() {
            process(event, at: now)
        }
        act(at: now) { $0.timePassed(at: $1, into: &$2) }
        if let due = renewsAt, due <= now {
            renewsAt = nil
            server.dial()
        }
        defer { events = [] }
        return events
    }

    private func process(_ event: ServerTransportEvent, at now: Duration) {
        switch event {
        case .connected(let maxPayload):
            self.maxPayload = maxPayload
            refusalCount = 0
            renewsAt = nil
            if isDialling {
                openLink(at: now)
            } else {
                act(at: now) { $0.connected(at: $1, into: &$2) }
            }
        case .failed(let error):
            failed(error, at: now)
        case .ended(let error):
            link?.disconnected()
            renewIfOpen(at: now)
            if isDialling {
                failed(error, at: now)
            }
        case .message(let message):
            receive(message, at: now)
        case .noResponders(let reply):
            if let address = subjects.parse(down: reply, to: name) {
                act(at: now) { $0.noResponders(on: address, into: &$2) }
            }
        case .refused(let error):
            refuse(error.sentence(reaching: access))
        case .unpublished(let subject, let error):
            if link != nil, subject == upSubject {
                // The link would send the message again for good. The session sends on the next one what it can carry.
                act(at: now) { $0.close(error.reason, at: $1, into: &$2) }
            }
        }
    }

    private func receive(_ message: ReceivedMessage, at now: Duration) {
        let ofLink = message.subject == downSubject ? (link?.id).map(LinkAddress.link) : nil
        guard let address = ofLink ?? subjects.parse(down: message.subject, to: name) else {
            ignoredCount += 1
            return
        }
        act(at: now) { $0.received(message.bytes, on: address, at: $1, into: &$2) }
    }

    private func failed(_ error: ServerError, at now: Duration) {
        if error.step == .key, link?.isOpen == true {
            // A server that has withdrawn the key lets no later connection in.
            dropLink()
            events.append(.ended(error.sentence(reaching: access)))
        }
        renewIfOpen(at: now)
        guard isDialling else {
            return
        }
        isDialling = false
        refusalCount = error.isRefusal ? refusalCount + 1 : 0
        let sentence = error.sentence(reaching: access)
        let isRefused = refusalCount >= Self.refusalCountMin || error.step == .key
        events.append(isRefused ? .refused(sentence) : .ended(sentence))
    }

    private func renewIfOpen(at now: Duration) {
        if let link, link.isOpen {
            renewsAt = now + Self.renewalPause
        }
    }

    private func refuse(_ sentence: String) {
        if isDialling || link != nil {
            isDialling = false
            let isOpen = link?.isOpen ?? false
            dropLink()
            events.append(isOpen ? .ended(sentence) : .refused(sentence))
        }
    }

    // MARK: - Frames

    func send(_ frame: [UInt8], at now: Duration) -> Bool {
        guard held.isEmpty, let acceptance = link?.send(frame) else {
            held.append(frame)
            return false
        }
        switch acceptance {
        case .accepted: return true
        case .full:
            held.append(frame)
            return false
        case .tooLong:
            // The session knows the maximum, so this frame is a fault of this program.
            events.append(.ended("a frame of \(frame.count) bytes exceeds the maximum of the link"))
            dropLink()
            return true
        }
    }

    func setFull(_ isFull: Bool, at now: Duration) {
        if isFull {
            link?.pause()
        } else if link?.isPaused == true {
            act(at: now) { $0.resume(at: $1, into: &$2) }
        }
    }

    func flush(at now: Duration) {
        act(at: now) { $0.flush(at: $1, into: &$2) }
    }

    private func sendHeld() {
        while let frame = held.first, link?.send(frame) == .accepted {
            held.removeFirst()
        }
        if held.isEmpty {
            events.append(.hasRoom)
        }
    }

    // MARK: - The machine

    private func act(
        at now: Duration,
        _ change: (inout ChildLink, Duration, inout [ChildLinkEffect]) -> Void
    ) {
        guard link != nil else {
            return
        }
        var effects: [ChildLinkEffect] = []
        change(&link!, now, &effects)
        perform(effects, at: now)
    }

    private func perform(_ effects: [ChildLinkEffect], at now: Duration) {
        for effect in effects {
            switch effect {
            case .publish(let address, let bytes): publish(bytes, to: address)
            case .opened(let terms): opened(terms)
            case .refused(let refusal):
                dropLink()
                events.append(
                    .refused(
                        "the parent refuses the site (\(refusal.code.rawValue)): "
                            + refusal.message.escapedForDisplay(limit: 512),
                        refusal))
            case .deliver(let frame): events.append(.frame(frame))
            case .refusePart(let part, let byteCount):
                events.append(.part(Array(part), byteCount: byteCount))
            case .room: sendHeld()
            case .ended(let end): ended(end)
            }
        }
    }

    private func publish(_ bytes: [UInt8], to address: LinkAddress) {
        guard let link else {
            return
        }
        server.publish(
            bytes, to: address == .link(link.id) ? upSubject : subjects.up(name, address),
            reply: address == .open ? downSubject : nil,
            whileUnderWay: link.unacknowledgedByteCount)
    }

    private func opened(_ terms: OpenTerms) {
        do throws(NameError) {
            let mount = try NodePath(terms.mount)
            // The gate may have a connection from before the server's maximum was reduced.
            let maximum = min(terms.maximum, maxPayload - LinkSettings.payloadReserve)
            events.append(
                .opened(
                    LinkTerms(
                        mount: mount, maximum: maximum, roundTrip: link?.roundTrip ?? .zero)))
        } catch {
            dropLink()
            events.append(.refused("the parent names no valid mount: \(error)"))
        }
    }

    private func ended(_ end: LinkEnd) {
        dropLink()
        var silence = Duration.zero
        switch end {
        case .silent(let duration):
            silence = duration
            // The connection may lead nowhere any more: the next attempt takes a new one.
            server.close()
        case .unanswered: server.close()
        case .closedByPeer, .closed, .fault, .noGate: break
        }
        events.append(.ended(end.description, silence: silence))
    }
}
