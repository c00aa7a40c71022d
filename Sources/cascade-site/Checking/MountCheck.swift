// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeSite
import CascadeWire
import ZeroMQ

/// Opens a link to the parent, holds the mount for a moment, and leaves it again.
///
/// A site whose link is up is not disturbed: the gate refuses the second link, and names the machine that has
/// the first one. If that is this machine, the gate lets this site in.
struct MountCheck: ~Copyable {
    private static let duration = Duration.seconds(12)
    private static let attachRequest: UInt64 = 1
    private static let pathRequest: UInt64 = 2
    private static let leaveRequest: UInt64 = 3

    private let site: SiteName
    private let link: any UpperLink
    /// Whether a gate has let this site in, which it does for one link at a time.
    private let hasGate: Bool
    private var session: Session
    private var mount: NodePath?
    /// What the report says of the mount, unless this site would stand below itself there.
    private var mountSentence = ""

    init(
        _ site: SiteName, over link: any UpperLink, hasGate: Bool, program: String,
        processID: UInt32
    ) {
        self.site = site
        self.link = link
        self.hasGate = hasGate
        var generator = SystemRandomNumberGenerator()
        session = Session(
            secret: SessionSecret(using: &generator), program: program, processID: processID)
    }

    private var now: Duration {
        MonotonicClock.time
    }

    /// Adds the steps to a report. Throws `ZeroMQError` if the process cannot wait.
    mutating func run(into report: inout CheckReport) throws(ZeroMQError) {
        defer { link.finish() }
        let end = now + Self.duration
        link.dial(at: now)
        while now < end {
            for event in link.turn(at: now) where process(event, into: &report) {
                link.flush(at: now)
                link.close("the check is done", at: now)
                return
            }
            link.flush(at: now)
            try link.wait(until: end)
        }
        report.failed(mount == nil ? .gate : .mount, "no answer within \(Self.duration)")
        link.close("the check has failed", at: now)
    }

    // MARK: - The link

    /// Processes an event of the link. Returns whether the check has ended.
    private mutating func process(_ event: UpperLinkEvent, into report: inout CheckReport) -> Bool {
        switch event {
        case .opened(let terms):
            mount = terms.mount
            report.passed(.gate, "the parent lets this site stand at \(terms.mount)")
            var effects: [SessionEffect] = []
            session.connected(into: &effects)
            return perform(effects, into: &report)
        case .frame(let frame):
            return receive(Array(frame), into: &report)
        case .refused(let reason, let refusal?) where refusal.holder != nil:
            if refusal.holder == SiteIdentity().instance {
                report.passed(
                    .gate,
                    "the parent knows this site by a link that is up: "
                        + refusal.message.escapedForDisplay())
            } else {
                report.failed(
                    .gate,
                    "\(reason); that is another machine: give each site a name and a key of its own"
                )
            }
            return true
        case .ended(let reason, _), .refused(let reason, _):
            report.failed(mount == nil ? .gate : .policy, reason)
            return true
        case .part, .hasRoom:
            return false
        }
    }

    private mutating func receive(_ frame: [UInt8], into report: inout CheckReport) -> Bool {
        var effects: [SessionEffect] = []
        do throws(WireError) {
            let header = try Header(parsing: frame)
            try session.received(header, frame.span.bytes, into: &effects)
        } catch {
            report.failed(.policy, "the parent's bus has sent an invalid message: \(error)")
            return true
        }
        return perform(effects, into: &report)
    }

    // MARK: - The session

    private mutating func perform(
        _ effects: [SessionEffect], into report: inout CheckReport
    ) -> Bool {
        var isDone = false
        for effect in effects {
            isDone = perform(effect, into: &report) || isDone
        }
        return isDone
    }

    /// Performs an effect of the session. Returns whether the check has ended.
    private mutating func perform(_ effect: SessionEffect, into report: inout CheckReport) -> Bool {
        switch effect {
        case .send(let header): send(header.encoded())
        case .sendMessage(let message): send(message)
        case .beat(let beat):
            var effects: [SessionEffect] = []
            session.beatAnswered(beat, into: &effects)
            return perform(effects, into: &report)
        case .welcomed:
            return attach(into: &report)
        case .attached:
            askForSites(below: "this site can stand at \(mount ?? .root)")
        case .answered(Self.pathRequest, let message):
            conclude(message, into: &report)
            return true
        case .refused(Self.pathRequest, _):
            // The parent lets this site read no values.
            conclude(nil, into: &report)
            return true
        case .refused(_, let refused):
            guard refused.code != .pathTaken || hasGate else {
                let sentence = refused.sentence.escapedForDisplay(limit: 512)
                askForSites(below: "the place is held, by this site if it runs: \(sentence)")
                return false
            }
            let step: CheckStep = refused.code == .denied ? .policy : .mount
            report.failed(step, refused.sentence.escapedForDisplay(limit: 512))
            return true
        case .violated(let violation):
            report.failed(.policy, violation.sentence.escapedForDisplay(limit: 512))
            return true
        default: break
        }
        return false
    }

    private mutating func attach(into report: inout CheckReport) -> Bool {
        var declaration = NodeDeclaration(path: mount ?? .root)
        declaration.isMount = true
        var effects: [SessionEffect] = []
        session.attach([declaration], names: [], request: Self.attachRequest, into: &effects)
        return perform(effects, into: &report)
    }

    /// Asks for the names of the sites above the mount. The report of the mount follows.
    private mutating func askForSites(below sentence: String) {
        mountSentence = sentence
        let subject = Query.Subject.environment(path: mount ?? .root, key: SitePath.key)
        send(Query(request: Self.pathRequest, subject).encoded())
    }

    /// Adds the mount to a report, and leaves it. `answer` is about the names of the sites above it.
    private func conclude(_ answer: [UInt8]?, into report: inout CheckReport) {
        let sites = answer.map { SitePath.names(inAnswer: $0) } ?? []
        if sites.contains(site.description) {
            let names = sites.joined(separator: ", ").escapedForDisplay(limit: 512)
            report.failed(
                .mount,
                "this site would stand below itself: \(names); one of them needs another parent")
        } else {
            report.passed(.mount, mountSentence)
        }
        send(Leave(request: Self.leaveRequest).encoded())
    }

    private func send(_ message: [UInt8]) {
        _ = link.send(message, at: now)
    }
}

extension SiteIdentity {
    /// The identity of a check on this machine: a gate takes it for another machine's, so that a check does
    /// not end the link of this one.
    static var ofCheck: SiteIdentity {
        SiteIdentity(adding: "-check")
    }

    private init(adding suffix: String) {
        let own = SiteIdentity()
        instance = own.instance + suffix
        host = own.host
    }
}
