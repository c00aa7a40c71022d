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
    private static let holderRequest: UInt64 = 4
    /// Stands for the process of a holder that the parent's policy hides.
    private static let unknownProcess: UInt32 = 0

    private let site: SiteName
    private let link: any UpperLink
    /// Whether a gate has let this site in, which it does for one link at a time.
    private let hasGate: Bool
    /// The process of this site's `cascade-site`; `nil` if it is unknown.
    private let siteProcess: UInt32?
    /// Whether the parent's bus has decided about the mount.
    private var isAttachAnswered = false
    private var session: Session
    private var mount: NodePath?
    /// What the report says of the mount, unless this site would stand below itself there.
    private var mountSentence = ""
    /// Why the parent's bus does not let this check have the mount.
    private var takenSentence = ""

    init(
        _ site: SiteName, over link: any UpperLink, hasGate: Bool, siteProcess: UInt32?,
        program: String, processID: UInt32
    ) {
        self.site = site
        self.link = link
        self.hasGate = hasGate
        self.siteProcess = siteProcess
        var generator = SystemRandomNumberGenerator()
        session = Session(
            secret: SessionSecret(using: &generator), program: program, processID: processID)
    }

    private var now: Duration {
        MonotonicClock.time
    }

    /// The step that has not succeeded yet.
    private var nextStep: CheckStep {
        if hasGate, mount == nil {
            return .gate
        }
        guard session.state == .welcomed else {
            return .bus
        }
        return isAttachAnswered ? .mount : .policy
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
        report.failed(nextStep, "no answer within \(Self.duration)")
        link.close("the check has failed", at: now)
    }

    // MARK: - The link

    /// Processes an event of the link. Returns whether the check has ended.
    private mutating func process(_ event: UpperLinkEvent, into report: inout CheckReport) -> Bool {
        switch event {
        case .opened(let terms):
            mount = terms.mount
            if hasGate {
                report.passed(.gate, "the parent lets this site stand at \(terms.mount)")
            }
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
            report.failed(nextStep, reason)
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
            report.failed(nextStep, "the parent's bus has sent an invalid message: \(error)")
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
            isAttachAnswered = true
            askForSites(below: "this site can stand at \(mount ?? .root)")
        case .answered(Self.pathRequest, let message):
            conclude(message, into: &report)
            return true
        case .refused(Self.pathRequest, _):
            // The parent lets this site read no values.
            conclude(nil, into: &report)
            return true
        case .answered(Self.holderRequest, let message):
            let node = try? TreeAnswer(parsing: message).nodes.first
            return judge(holder: node?.holder?.processID, into: &report)
        case .refused(Self.holderRequest, let refused):
            // The parent may let this site look at no nodes.
            return judge(
                holder: refused.code == .denied ? Self.unknownProcess : nil, into: &report)
        case .refused(_, let refused):
            isAttachAnswered = true
            guard refused.code != .pathTaken || hasGate else {
                takenSentence = refused.sentence.escapedForDisplay(limit: 512)
                askForHolder()
                return false
            }
            let step: CheckStep = refused.code == .denied ? .policy : .mount
            report.failed(step, refused.sentence.escapedForDisplay(limit: 512))
            return true
        case .violated(let violation):
            report.failed(
                violation.code == .notYours ? .policy : nextStep,
                violation.sentence.escapedForDisplay(limit: 512))
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

    /// Asks for the process that holds the mount.
    private func askForHolder() {
        let subject = Query.Subject.tree(path: mount ?? .root, depth: 0)
        send(Query(request: Self.holderRequest, subject).encoded())
    }

    /// Judges a mount that the check cannot have. Returns whether the check has ended.
    ///
    /// - Parameter holder: The process that holds it; `nil` for none: other nodes are in the way.
    private mutating func judge(holder: UInt32?, into report: inout CheckReport) -> Bool {
        switch holder {
        case nil:
            report.failed(.mount, takenSentence)
            return true
        case _ where holder == Self.unknownProcess || siteProcess == nil:
            askForSites(below: "the place is held, by this site if it runs: \(takenSentence)")
            return false
        case siteProcess:
            askForSites(below: "this site stands at \(mount ?? .root)")
            return false
        default:
            report.failed(
                .mount,
                "\(takenSentence), which is not the process of this site; give each site a place of its own"
            )
            return true
        }
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
        SiteIdentity(adding: OpenRequest.checkSuffix)
    }

    private init(adding suffix: String) {
        let own = SiteIdentity()
        instance = own.instance + suffix
        host = own.host
    }
}
