// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire
import DequeModule

/// The queries that wait for a turn, and how much of the broker's time each user has had.
///
/// First answers and repetitions of one user have a lane each. A lane that has had its share waits;
/// within a lane, and among lanes, everyone gets one turn after another.
struct InquiryTable: Sendable {
    struct LaneID: Equatable, Sendable {
        var account: AccountIndex
        var isRepeating: Bool
    }

    private struct Lane: Sendable {
        var id: LaneID
        var waiting: Deque<Inquiry> = []
        /// When the time that it has had is no more than its share.
        var paidAt: Instant
    }

    /// Steps of one turn: some two milliseconds.
    static let stepsPerTurn = 8_192
    /// Twenty times the duration of a step: a lane has a twentieth of the time.
    private static let nanosecondsPerStep: UInt64 = 6_000
    /// How far a lane may be ahead of its share.
    private static let burstNanoseconds: UInt64 = 1_000_000_000
    /// The time between two turns, for each step of the first: everyone else's.
    private static let pauseNanosecondsPerStep: UInt64 = 1_000

    private var lanes: [Lane] = []
    /// The next lane to be served.
    private var next = 0
    private var pausedUntil = Instant(nanoseconds: 0)
    /// The deadline of the next turn.
    private(set) var scheduled = DeadlineQueue.none

    /// Queries that wait for their first answer.
    func count(of account: AccountIndex) -> Int {
        lane(LaneID(account: account, isRepeating: false)).map { lanes[$0].waiting.count } ?? 0
    }

    /// Whether a query that has just come need not wait.
    func mayBegin(_ id: LaneID, at now: Instant) -> Bool {
        lane(id).map { lanes[$0].waiting.isEmpty && Self.isReady(lanes[$0], at: now) } ?? true
    }

    private func lane(_ id: LaneID) -> Int? {
        lanes.firstIndex { $0.id == id }
    }

    private static func isReady(_ lane: Lane, at now: Instant) -> Bool {
        lane.paidAt.nanoseconds <= now.nanoseconds + burstNanoseconds
    }

    private mutating func laneMadeNow(_ id: LaneID, at now: Instant) -> Int {
        if let lane = lane(id) {
            return lane
        }
        lanes.append(Lane(id: id, paidAt: now))
        return lanes.count - 1
    }

    mutating func append(_ inquiry: Inquiry, at now: Instant) {
        lanes[laneMadeNow(inquiry.lane, at: now)].waiting.append(inquiry)
    }

    /// Another query has taken the place of a repeating one that had no answer yet.
    mutating func remove(_ request: UInt64, of peer: PeerID, account: AccountIndex) {
        for lane in lanes.indices where lanes[lane].id.account == account {
            lanes[lane].waiting.removeAll { inquiry in
                inquiry.peer == peer && inquiry.query.request == request
                    && inquiry.query.isRepeating
            }
        }
    }

    /// The lane has had so much of the broker's time.
    mutating func charge(_ steps: Int, to id: LaneID, at now: Instant) {
        let lane = laneMadeNow(id, at: now)
        let begin = max(now.nanoseconds, lanes[lane].paidAt.nanoseconds)
        let steps = UInt64(clamping: steps)
        lanes[lane].paidAt = Instant(nanoseconds: begin + steps * Self.nanosecondsPerStep)
        pausedUntil = Instant(
            nanoseconds: now.nanoseconds + max(1, steps * Self.pauseNanosecondsPerStep))
    }

    /// Returns the next query to be served.
    mutating func takeReady(at now: Instant) -> Inquiry? {
        lanes.removeAll { $0.waiting.isEmpty && $0.paidAt <= now }
        for offset in lanes.indices {
            let lane = (next + offset) % lanes.count
            if !lanes[lane].waiting.isEmpty, Self.isReady(lanes[lane], at: now) {
                next = lane + 1
                return lanes[lane].waiting.popFirst()
            }
        }
        return nil
    }

    /// When the next turn is; `nil` if nothing waits.
    var nextTurn: Instant? {
        let ready = lanes.lazy.filter { !$0.waiting.isEmpty }.map { lane in
            let nanoseconds = lane.paidAt.nanoseconds
            return Instant(nanoseconds: nanoseconds - min(nanoseconds, Self.burstNanoseconds))
        }
        return ready.min().map { max($0, pausedUntil) }
    }

    /// The next turn is at this deadline.
    mutating func schedule(_ deadline: DeadlineQueue.Handle) {
        scheduled = deadline
    }

    /// Restarts the answers in progress, whose places may have been hidden since.
    mutating func restart() {
        for lane in lanes.indices {
            for place in lanes[lane].waiting.indices {
                lanes[lane].waiting[place].progress = nil
            }
        }
    }
}

/// A query on its way to its answer, which may take several turns of the broker.
struct Inquiry: Sendable {
    let peer: PeerID
    let query: Query
    /// The account charged for its time.
    let account: AccountIndex
    /// The repeating query that this is an answer to, and whether it has had one before.
    let repetition: UInt64?
    let isRepetition: Bool
    /// Steps of former turns.
    var steps = 0
    /// `nil` until its first turn.
    var progress: Progress?

    init(
        _ query: Query, by peer: PeerID, account: AccountIndex, repetition: UInt64? = nil,
        isRepetition: Bool = false
    ) {
        self.peer = peer
        self.query = query
        self.account = account
        self.repetition = repetition
        self.isRepetition = isRepetition
    }

    var lane: InquiryTable.LaneID {
        InquiryTable.LaneID(account: account, isRepeating: isRepetition)
    }

    /// The progress of an answer: the items examined one by one, and the text so far.
    struct Progress: Sendable {
        enum Items: Sendable {
            case nodes([NodeIndex])
            /// Each is looked at three times.
            case checked([NodeIndex])
            case keys([EventName])
            case undelivered([UndeliveredEntry])
            case happenings([MonitorEvent])
            /// The counters of the nodes below one, by their numbers.
            case readings(top: NodeIndex, slotCount: Int)

            var count: Int {
                switch self {
                case .nodes(let nodes): nodes.count
                case .checked(let nodes): nodes.count * 3 + 1
                case .keys(let keys): keys.count
                case .undelivered(let entries): entries.count
                case .happenings(let monitorEvents): monitorEvents.count
                case .readings(_, let slotCount): slotCount
                }
            }
        }

        /// A node in an answer about activity.
        struct Row: Sendable {
            var row: ActivityAnswer.Row
            var busyness: UInt64
        }

        /// How far the children of the next node are counted.
        struct Counting: Sendable {
            /// The number of those before the next child that the viewer sees.
            var count: UInt32
            var next: NodeIndex
        }

        let items: Items
        /// The next item.
        var next = 0
        /// Only if the children of the next node take more than one turn.
        var counting: Counting?
        /// Only for a query for the difference of rules.
        var difference: RulesDifference?
        /// Only for a check: how far it has come, and the responders that nothing can reach, the last
        /// of the tree first.
        var reach: ReachCheck?
        var unreachable: [JSONValue] = []
        /// The answer to a query for the tree or for activity.
        var fields = FieldWriter()
        /// The version of the tree, or the number of the reading of counters, that the answer has.
        var version: UInt64?
        /// The reading of counters that the last answer had; `nil` if the peer has none.
        var sentVersion: UInt64?
        /// Whether the answer has only changes, and whether there are none.
        var hasOnlyChanges = false
        var isEmpty = false
        /// The level below the root at which changes have numbers of children; `nil` for none.
        var lastLevel: Int?
        /// The nodes whose counters have changed.
        var rows: [Row] = []
        /// Any other answer: a document with one list.
        private(set) var text = ""
        private var isFirst = true

        init(_ items: Items) {
            self.items = items
        }

        /// - Parameter head: the document without its list.
        init(_ items: Items, _ head: JSONValue, list: String) {
            self.items = items
            text = String(head.text.dropLast()) + ",\"\(list)\":["
        }

        var byteCount: Int {
            max(fields.bytes.count, text.utf8.count + unreachable.count * 128)
        }

        mutating func append(
            _ element: JSONValue, for viewer: inout Viewer, bytesPerStep: Int = 16
        ) throws(WireError) {
            let before = text.utf8.count
            text += isFirst ? "" : ","
            text += element.text
            isFirst = false
            try viewer.spend((text.utf8.count - before) / bytesPerStep)
        }

        /// The whole document.
        var document: String {
            text + "]}"
        }
    }
}
