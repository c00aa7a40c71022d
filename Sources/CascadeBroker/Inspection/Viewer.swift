// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadePolicy
import CascadeWire

/// The reader of an answer: the places it may inspect, and the steps spent on the answer so far.
///
/// Every builder of an answer takes one and consults it before a path, or a value from a path,
/// becomes part of the answer: ``place(_:)`` is the only way for a path into JSON.
struct Viewer: Sendable {
    private let authorization: PolicyAuthorization
    /// Whether no place is hidden from it.
    let seesEverything: Bool
    /// Whether it reads values as the node at their place does. That is no inspection, so no value is
    /// hidden.
    var readsValues = false
    /// The policy's decisions so far.
    private(set) var decisions: [PolicyCheck: Bool]
    private(set) var steps = 0
    private let budget: Budget

    /// The steps that an answer may take.
    struct Budget: Sendable {
        var stepsMax: Int
        /// Steps between two turns of the broker.
        var stepsAtOnceMax: Int
        /// The limit that bounds both.
        var limit: UInt32
    }

    init(_ authorization: PolicyAuthorization, _ decisions: [PolicyCheck: Bool], _ budget: Budget) {
        self.authorization = authorization
        self.decisions = decisions
        self.budget = budget
        seesEverything = authorization.seesEverything
    }

    // MARK: - Steps

    /// Throws if the answer takes more steps than it may. A step is the cost of one node, rule, key
    /// or event, or of 64 bytes of the answer: less than half a microsecond.
    mutating func spend(_ count: Int) throws(WireError) {
        steps += count
        let most = min(budget.stepsMax, budget.stepsAtOnceMax)
        guard steps <= most else {
            throw WireError(
                .limitReached,
                "the answer takes too many steps (limit querySteps, \(budget.limit)); ask about "
                    + "less: a deeper path, a smaller depth, one key")
        }
    }

    /// Counts steps already taken. The next ``spend(_:)`` throws if they were too many.
    mutating func count(_ count: Int) {
        steps += count
    }

    // MARK: - Places

    mutating func sees(_ path: NodePath) -> Bool {
        guard !seesEverything else {
            return true
        }
        steps += path.description.utf8.count / 64
        let check = PolicyCheck(verb: .inspect, path: path)
        if let known = decisions[check] {
            return known
        }
        steps += 1 + authorization.rules.count
        if decisions.count >= PolicyCheck.rememberedMax {
            decisions.removeAll(keepingCapacity: true)
        }
        let isAllowed = authorization.allows(.inspect, path)
        decisions[check] = isAllowed
        return isAllowed
    }

    /// Whether a text may be shown that names these places.
    mutating func sees(_ mentions: Mentions) -> Bool {
        switch mentions {
        case .nothing: return true
        case .anything: return seesEverything
        case .places(let paths):
            for path in paths where !sees(path) {
                return false
            }
            return true
        }
    }

    /// The path as JSON; `nil` if it is hidden, so that its member is left out.
    mutating func place(_ path: NodePath?) -> JSONValue? {
        guard let path, sees(path) else {
            return nil
        }
        steps += path.description.utf8.count / 64
        return .string(path.description)
    }

    /// The paths that are not hidden.
    mutating func places(_ paths: [NodePath]) -> JSONValue {
        var shown: [JSONValue] = []
        for path in paths {
            if let place = place(path) {
                shown.append(place)
            }
        }
        return .array(shown)
    }

    // MARK: - Errors and trails

    /// Renders an error without the words of hidden places: of those causes, only the names are
    /// shown.
    mutating func failure(_ failure: Failure?, _ mentions: Mentions) -> JSONValue? {
        guard let failure else {
            return nil
        }
        let mayShowWords = sees(mentions)
        var shown = self.shown(failure, mayShowWords)
        shown.causes = []
        for cause in failure.causes {
            shown.causes.append(self.shown(cause, mayShowWords))
        }
        return shown.json
    }

    private mutating func shown(_ failure: Failure, _ mayShowWords: Bool) -> Failure {
        var shown = failure
        let isVisible = failure.node.map { sees($0) } ?? true
        if !isVisible {
            shown.node = nil
        }
        if !isVisible || !mayShowWords {
            shown.message = nil
            shown.title = nil
        }
        return shown
    }

    /// Renders the visits of visible places. A visit after a hidden one is shown without its words,
    /// which may come from the hidden one.
    mutating func trail(_ visits: [VisitRecord]) -> JSONValue {
        var shown: [JSONValue] = []
        var mayShowWords = true
        for visit in visits {
            guard sees(visit.path) else {
                mayShowWords = false
                continue
            }
            var visit = visit
            if !mayShowWords {
                visit.message = nil
                visit.title = nil
            }
            shown.append(visit.json)
        }
        return .array(shown)
    }
}

/// The places that a text names or whose values it contains.
enum Mentions: Sendable {
    case nothing
    case places([NodePath])
    /// The place is unknown: the text is shown to viewers that may inspect every place.
    case anything
}

extension JSONValue {
    @available(*, unavailable, message: "ask the viewer: place(_:)")
    static func text(_ path: NodePath) -> JSONValue {
        .string(path.description)
    }
}

extension PolicyAuthorization {
    fileprivate var seesEverything: Bool {
        everywhere.contains(.inspect)
    }
}

extension PeerTable {
    /// Whether nothing is hidden from a session.
    func seesEverything(_ peer: PeerID) -> Bool {
        self[peer].authorization.seesEverything
    }

    /// Whether a session sees a place. Makes no viewer for one from which nothing is hidden.
    mutating func sees(_ path: NodePath, by peer: PeerID) -> Bool {
        guard !seesEverything(peer) else {
            return true
        }
        var viewer = takeViewer(for: peer)
        defer { putBack(viewer, of: peer) }
        return viewer.sees(path)
    }

    /// Returns a viewer with a session's authorization and the policy's decisions so far. The caller
    /// returns it after use.
    mutating func takeViewer(
        for peer: PeerID, _ budget: Viewer.Budget = .unbounded
    ) -> Viewer {
        let decisions = self[peer].takeDecisions()
        return Viewer(self[peer].authorization, decisions, budget)
    }

    mutating func putBack(_ viewer: Viewer, of peer: PeerID) {
        self[peer].putBack(viewer.decisions)
    }
}

extension Viewer.Budget {
    /// The budget of answers that are bounded otherwise.
    static let unbounded = Viewer.Budget(stepsMax: .max, stepsAtOnceMax: .max, limit: .max)
}
