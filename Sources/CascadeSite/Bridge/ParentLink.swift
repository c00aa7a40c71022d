// SPDX-License-Identifier: Apache-2.0

/// The link to the parent: its phase and terms, the patience with a lost one, and when the next one is
/// opened.
struct ParentLink: Sendable {
    enum Phase: Equatable, Sendable {
        /// No link. The next attempt is at this time; `nil` if no attempt is due.
        case none(dialsAt: Duration?)
        /// The owner opens a link.
        case dialling
        /// The link is open, and the session attaches the mount until this time.
        case mounting(until: Duration)
        case up
    }

    /// The time that attaching the mount may take.
    private static let mountingDuration = Duration.seconds(10)

    private(set) var phase = Phase.none(dialsAt: nil)
    /// What is known of the last link; `nil` before the first one.
    private(set) var terms: LinkTerms?
    /// Whether the link has room for further messages.
    var hasRoom = true
    /// When the patience with a lost link ends; `nil` if none is lost.
    private(set) var patienceEnds: Duration?
    /// Why the last link ended, or was refused.
    var lastError: String?
    /// Why the site cannot stand below its parent.
    private var refusal: String?
    /// Whether an administrator of the parent's bus has detached the mount: only a user opens another link
    /// then.
    private var isSentAway = false
    private var hasBeenUp = false
    private var pause = DialPause()
    private var jitter: Jitter

    init(seed: UInt64) {
        jitter = Jitter(seed: seed)
    }

    // MARK: - Phases

    var isUp: Bool {
        phase == .up
    }

    var isMounting: Bool {
        if case .mounting = phase { true } else { false }
    }

    var isOpen: Bool {
        isUp || isMounting
    }

    /// When the phase ends by itself.
    var phaseEnds: Duration? {
        switch phase {
        case .none(let dialsAt): dialsAt
        case .mounting(let until): until
        case .dialling, .up: nil
        }
    }

    /// The state of a bridge that has a parent.
    ///
    /// - Parameter isCarryingConfirmed: Whether `/` stands for what is above, as the site's own bus has
    ///   confirmed. What a user is told of `/` holds for the next event.
    func state(isCarryingConfirmed: Bool) -> BridgeState {
        if isUp {
            return isCarryingConfirmed ? .up : .mounting
        }
        if let refusal {
            return .refused(refusal)
        }
        if patienceEnds != nil || isCarryingConfirmed {
            return .waiting
        }
        if isMounting {
            return .mounting
        }
        return hasBeenUp ? .cut : .dialling
    }

    // MARK: - Opening

    mutating func beginDialling() {
        phase = .dialling
    }

    /// Opens a link at once if none is wanted so far, unless the site is sent away.
    mutating func dialUnlessSentAway(at now: Duration) {
        if phase == .none(dialsAt: nil), !isSentAway {
            phase = .none(dialsAt: now)
        }
    }

    /// Opens a link at once if there is none, although the site may be refused or sent away.
    mutating func dialAnyway(at now: Duration) {
        if case .none = phase {
            refusal = nil
            isSentAway = false
            phase = .none(dialsAt: now)
        }
    }

    mutating func stopDialling() {
        phase = .none(dialsAt: nil)
    }

    mutating func opened(_ terms: LinkTerms, at now: Duration) {
        self.terms = terms
        phase = .mounting(until: now + Self.mountingDuration)
        hasRoom = true
    }

    mutating func measured(roundTrip: Duration) {
        terms?.roundTrip = roundTrip
    }

    /// The mount is attached, and its names and values are known.
    mutating func mounted() {
        phase = .up
        hasBeenUp = true
        patienceEnds = nil
        refusal = nil
        pause.reset()
    }

    // MARK: - Losing

    /// The link has ended, or the attempt to open one. The pause before the next attempt begins.
    ///
    /// - Parameters:
    ///   - patience: The rest of the patience, if the link was up.
    ///   - dialsAgain: Whether another attempt follows.
    mutating func lost(patience: Duration, dialsAgain: Bool, at now: Duration) {
        if isUp {
            patienceEnds = now + max(.zero, patience)
        }
        let pause = pause.next(patienceEnds == nil ? .cut : .waiting, jitter: jitter.next())
        phase = .none(dialsAt: dialsAgain ? now + pause : nil)
    }

    mutating func refused(_ reason: String, at now: Duration) {
        refusal = reason
        lastError = reason
        phase = .none(dialsAt: now + pause.next(.refused, jitter: 0))
    }

    mutating func refusalEnded() {
        refusal = nil
    }

    /// An administrator wants the place for something else: only a user asks for it again.
    mutating func sentAway() {
        phase = .none(dialsAt: nil)
        isSentAway = true
    }

    mutating func patienceEnded() {
        patienceEnds = nil
    }
}

/// Numbers that shorten the pauses between attempts, so that sites do not dial at the same moments.
/// They need not be secret.
struct Jitter: Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// The next number of the generator SplitMix64.
    mutating func next() -> UInt16 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return UInt16(truncatingIfNeeded: mixed ^ (mixed >> 31))
    }
}
