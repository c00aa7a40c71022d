// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire
import NATS
import Testing

/// The gate of hq and its bus, which answer what the site ulm asks, and send any frames a test wants.
@FaultThread
final class RawGate: RawServerPeer {
    let child: SiteName
    private let maximum: Int
    /// What is said to the next requests for a link; `nil` opens it.
    var refusal: OpenRefusal?
    /// The limits of the bus.
    var limits = [NamedNumber("sites", 1_024)]
    /// The values at the mount, as the answer's document.
    var environment = #"{"values":[{"key":"site.path","value":["hq"],"kind":"set","from":"/"}]}"#
    private var link: (id: LinkID, machine: Link)?
    /// The number of links that were opened.
    private(set) var openedCount = 0
    private(set) var end: LinkEnd?
    /// The declaration of the mount.
    private(set) var mount: NodeDeclaration?
    private var frames: [[UInt8]] = []
    private var environmentRequest: UInt64 = 0

    static let mountNumber: UInt32 = 7
    static let publisherNumber: UInt32 = 9

    init(on server: SiteServer, maximum: Int = 1_044_480) throws {
        child = "ulm"
        self.maximum = maximum
        try super.init("raw hq", with: SiteServer.hq, on: server)
        try subscribe(to: subjects.upPattern)
    }

    // MARK: - The link

    /// Waits for a link whose site has attached its mount.
    func waitUntilMounted() throws {
        mount = nil
        try wait(for: "the mount of '\(child)'") { mount != nil && environmentRequest != 0 }
    }

    /// Sends a frame, and waits while the link has no room for it. Returns whether the link is open.
    @discardableResult
    func send(_ frame: [UInt8]) throws -> Bool {
        try wait(for: "room in the link") {
            var isFull = false
            try act { machine, now, effects in
                isFull = machine.send(frame) == .full
                machine.flush(at: now, into: &effects)
            }
            return !isFull
        }
        return link != nil
    }

    @discardableResult
    func send(_ message: some WireMessage) throws -> Bool {
        try send(message.encoded())
    }

    /// Waits for the next frame that matches, and skips others.
    func first(_ what: String, where isWanted: (Header) -> Bool) throws -> [UInt8] {
        var found: [UInt8]?
        try wait(for: what) {
            while found == nil, !frames.isEmpty {
                let frame = frames.removeFirst()
                if isWanted(try Header(parsing: frame)) {
                    found = frame
                }
            }
            return found != nil
        }
        return try #require(found)
    }

    /// Answers the query for the values at the mount again.
    func sendEnvironment() throws {
        try send(DocumentAnswer(request: environmentRequest, document: environment))
    }

    /// Delivers a publication to the mount.
    @discardableResult
    func deliver(_ name: String, number: UInt64, byteCount: Int = 1) throws -> Bool {
        let fields = RaisedFields(name: try EventName(name)).fields
        let header = Header(
            .delivery, fieldsLength: UInt32(fields.count), node: Self.mountNumber, id: number,
            sequence: number, origin: Self.publisherNumber, session: 1, time: 10_000,
            code: PublishingDestination.all.rawValue)
        return try send(
            header.encoded() + fields + [UInt8](repeating: UInt8(ascii: "1"), count: byteCount))
    }

    // MARK: - The machine

    override func received(_ message: ReceivedMessage) throws {
        guard let (name, address) = subjects.parse(up: message.subject), name == child else {
            return
        }
        switch address {
        case .open: try open(OpenRequest(parsing: message.bytes))
        case .link(let id) where id == link?.id:
            try act { $0.received(message.bytes, at: $1, into: &$2) }
        case .link: break
        }
    }

    private func open(_ request: OpenRequest) throws {
        let answer: OpenAnswer
        if let refusal {
            answer = .refused(request.link, refusal)
        } else {
            let terms = OpenTerms(
                bus: "hq", mount: "/shop/ulm", maximum: maximum, window: 4_194_304)
            answer = .accepted(request.link, terms)
            link = (
                request.link,
                Link(
                    LinkSettings(window: terms.window, maximum: maximum, patience: .seconds(60)),
                    at: now)
            )
            openedCount += 1
            environmentRequest = 0
            end = nil
        }
        try publish(answer.encoded, to: subjects.down(child, .open))
    }

    override func timePassed() throws {
        try act { $0.timePassed(at: $1, into: &$2) }
    }

    private func act(_ change: (inout Link, Duration, inout [LinkEffect]) -> Void) throws {
        guard let id = link?.id, var machine = link?.machine else {
            return
        }
        var effects: [LinkEffect] = []
        change(&machine, now, &effects)
        link = (id, machine)
        for effect in effects {
            switch effect {
            case .publish(let bytes): try publish(bytes, to: subjects.down(child, .link(id)))
            case .deliver(let frame): try answer(Array(frame))
            case .refusePart, .room: break
            case .ended(let end):
                if link?.id == id {
                    link = nil
                    self.end = end
                }
            }
        }
    }

    // MARK: - The bus

    private func answer(_ frame: [UInt8]) throws {
        let header = try Header(parsing: frame)
        switch header.command {
        case .hello:
            try send(
                Welcome(
                    version: 1, bus: "hq", release: "raw", processID: 1, credit: 64,
                    beatMilliseconds: 60_000, limits: limits))
            try send(
                Define([
                    .node(number: Self.publisherNumber, "/shop"),
                    .session(
                        number: 1, SessionIdentity(SessionID(high: 5, low: 6), isProven: true)),
                ]))
        case .attach:
            let attach = try Attach(parsing: frame)
            mount = attach.nodes.first
            try send(
                Attached(
                    request: attach.request,
                    nodes: [Attached.Node(path: "/shop/ulm", number: Self.mountNumber)]))
        case .change:
            mount = try Change(parsing: frame).declaration
            try send(Header(.done, id: header.id).encoded())
        case .query:
            try answer(Query(parsing: frame))
        default:
            frames.append(frame)
        }
    }

    private func answer(_ query: Query) throws {
        switch query.subject {
        case .environment(_, nil):
            environmentRequest = query.request
            try sendEnvironment()
        default:
            try send(DocumentAnswer(request: query.request, document: #"{"above":[],"below":[]}"#))
        }
    }
}
