// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire
import NATS
import Testing

/// A child of hq that sends any link messages and frames a test wants.
@FaultThread
final class RawChild: RawServerPeer {
    let name: SiteName
    private var link: ChildLink?
    private var lastLink = UInt64.random(in: .min ... .max / 2)
    private var lastRequest: UInt64 = 0
    private(set) var terms: OpenTerms?
    private(set) var refusal: OpenRefusal?
    private(set) var end: LinkEnd?
    /// The frames of hq's bus that no call has taken yet.
    private var frames: [[UInt8]] = []

    init(_ name: String, on server: SiteServer) throws {
        self.name = try SiteName(name)
        let key = try #require(SiteServer.children[name])
        try super.init("raw \(name)", with: key, on: server)
        try subscribe(to: subjects.downPattern(of: self.name))
    }

    // MARK: - Links

    func request(version: String = OpenRequest.version) -> OpenRequest {
        lastLink += 1
        return OpenRequest(
            version: version, link: LinkID(lastLink), instance: "raw", host: "raw",
            program: "raw child")
    }

    /// Asks for a link, and waits for the answer.
    func open(version: String = OpenRequest.version) throws {
        (terms, refusal, end, frames) = (nil, nil, nil, [])
        var effects: [ChildLinkEffect] = []
        link = ChildLink(
            request(version: version), patience: .seconds(60), at: now, into: &effects)
        try perform(effects)
        try wait(for: "an answer to the request for a link") {
            terms != nil || refusal != nil || end != nil
        }
        // Of a flood, only the first request is answered.
        if refusal?.code == .tooMany || end != nil {
            let next = now + .seconds(1)
            try wait(for: "the next second of the gate") { now >= next }
            try open(version: version)
        }
    }

    /// Publishes bytes as a message of the open link.
    func publishOnLink(_ bytes: [UInt8]) throws {
        try publish(bytes, to: subjects.up(name, .link(#require(link).id)))
    }

    /// Waits until the link has ended, and returns why.
    func waitForEnd() throws -> String {
        try wait(for: "the end of the link") { end != nil }
        return try #require(end).description
    }

    // MARK: - Frames

    /// Sends a frame, and waits while the link has no room for it.
    func send(_ frame: [UInt8]) throws {
        try wait(for: "room in the link") {
            guard end == nil, var link else {
                return true
            }
            self.link = nil
            let acceptance = link.send(frame)
            self.link = link
            try act { $0.flush(at: $1, into: &$2) }
            return acceptance != .full
        }
    }

    func send(_ message: some WireMessage) throws {
        try send(message.encoded())
    }

    /// Waits for the next frame of a command, and skips others.
    func next(_ command: Command) throws -> [UInt8] {
        var found: [UInt8]?
        try wait(for: "a frame '\(command)'") {
            while found == nil, !frames.isEmpty {
                let frame = frames.removeFirst()
                if try Header(parsing: frame).command == command {
                    found = frame
                }
            }
            return found != nil || end != nil
        }
        return try #require(found, "the link has ended: \(end.map(\.description) ?? "")")
    }

    /// Opens a link and a session.
    func greet(policyKey: String? = nil) throws {
        try open()
        try #require(terms != nil, "\(refusal.map { "\($0)" } ?? "")")
        try send(
            Hello(
                session: .random(), program: "raw child", processID: 1, policyKey: policyKey))
        _ = try next(.welcome)
    }

    /// Asks for a node, and returns its number, or the refusal.
    func attach(_ declaration: NodeDeclaration) throws -> Result<UInt32, Refusal> {
        lastRequest += 1
        try send(Attach(request: lastRequest, nodes: [declaration]))
        var result: Result<UInt32, Refusal>?
        try wait(for: "an answer to the attach") {
            while result == nil, !frames.isEmpty {
                let frame = frames.removeFirst()
                switch try Header(parsing: frame).command {
                case .attached:
                    let attached = try Attached(parsing: frame)
                    result = .success(try #require(attached.nodes.first).number)
                case .refused: result = .failure(Refusal(try Refused(parsing: frame)))
                default: break
                }
            }
            return result != nil || end != nil
        }
        return try #require(result, "the link has ended: \(end.map(\.description) ?? "")")
    }

    struct Refusal: Error {
        var code: ErrorCode
        var sentence: String

        init(_ refused: Refused) {
            code = refused.code
            sentence = refused.sentence
        }
    }

    /// Attaches the mount of the site.
    func attachMount() throws -> UInt32 {
        var mount = NodeDeclaration(path: try NodePath("/shop/\(name)"))
        mount.isMount = true
        return try attach(mount).get()
    }

    // MARK: - The machine

    override func received(_ message: ReceivedMessage) throws {
        if let address = subjects.parse(down: message.subject, to: name) {
            try act { $0.received(message.bytes, on: address, at: $1, into: &$2) }
        }
    }

    override func timePassed() throws {
        try act { $0.timePassed(at: $1, into: &$2) }
    }

    private func act(_ change: (inout ChildLink, Duration, inout [ChildLinkEffect]) -> Void) throws
    {
        guard var link else {
            return
        }
        var effects: [ChildLinkEffect] = []
        self.link = nil
        change(&link, now, &effects)
        self.link = link
        try perform(effects)
    }

    private func perform(_ effects: [ChildLinkEffect]) throws {
        for effect in effects {
            switch effect {
            case .publish(let address, let bytes):
                try publish(bytes, to: subjects.up(name, address))
            case .opened(let terms): self.terms = terms
            case .refused(let refusal): self.refusal = refusal
            case .deliver(let frame): try deliver(Array(frame))
            case .refusePart, .room: break
            case .ended(let end): self.end = end
            }
        }
    }

    private func deliver(_ frame: [UInt8]) throws {
        let header = try Header(parsing: frame)
        if header.command == .beat {
            try send(Header(.beat, id: header.id).encoded())
        } else {
            frames.append(frame)
        }
    }
}
