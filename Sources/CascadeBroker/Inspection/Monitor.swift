// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A subscriber to monitor events, and how far it has read.
struct Monitor: Sendable {
    let peer: PeerID
    let account: AccountIndex
    /// The number of its query, which every answer bears.
    let request: UInt64
    let filter: MonitorEventFilter
    /// The steps of messages that it wants.
    let steps: MessageSteps
    /// Whether it receives the payloads of messages.
    let wantsPayloads: Bool
    /// Whether it receives the trails of messages, at their ends.
    let wantsTrails: Bool
    /// The bound on the messages that it gets; `nil` if it gets all.
    var budget: MonitorBudget?

    /// Monitor events that it was sent, and how many of them it is known to have taken.
    private var sentCount: UInt64 = 0
    private var takenCount: UInt64 = 0
    /// The number of monitor events omitted since the last one sent.
    private(set) var leftOutCount: UInt64 = 0
    /// The beat whose answer confirms the messages sent before it; `nil` if none is under way.
    private(set) var beat: Beat?
    /// How many monitor events it had been sent when that beat was sent.
    private var sentBeforeBeat: UInt64 = 0
    /// How many of those under way each account has brought about: before that beat, and since.
    private var countsBeforeBeat: [AccountIndex: Int] = [:]
    private var counts: [AccountIndex: Int] = [:]

    /// Throws ``WireError`` if a pattern of the filter is too long.
    init(
        peer: PeerID, account: AccountIndex, request: UInt64, _ filter: MonitorFilter
    ) throws(WireError) {
        self.peer = peer
        self.account = account
        self.request = request
        self.filter = try MonitorEventFilter(filter)
        steps = MessageSteps(self.filter, withTrails: filter.withTrails)
        wantsPayloads = filter.withPayloads
        wantsTrails = filter.withTrails
        budget = filter.perSecond == 0 ? nil : MonitorBudget(perSecond: filter.perSecond)
    }

    /// Monitor events on their way to it.
    var underWayCount: UInt64 {
        sentCount - takenCount
    }

    /// Those of them that an account has brought about.
    func underWayCount(of account: AccountIndex) -> Int {
        (countsBeforeBeat[account] ?? 0) + (counts[account] ?? 0)
    }

    mutating func omit() {
        leftOutCount += 1
    }

    mutating func takeOmitted() -> UInt64 {
        defer { leftOutCount = 0 }
        return leftOutCount
    }

    mutating func recordSent(by account: AccountIndex) {
        sentCount += 1
        counts[account, default: 0] += 1
    }

    mutating func beatSent(_ beat: Beat) {
        self.beat = beat
        sentBeforeBeat = sentCount
        countsBeforeBeat = counts
        counts = [:]
    }

    mutating func beatAnswered() {
        beat = nil
        takenCount = sentBeforeBeat
        countsBeforeBeat = [:]
    }
}
