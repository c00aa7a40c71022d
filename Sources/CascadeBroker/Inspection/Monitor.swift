// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A subscriber to monitor events, and how far it has read.
struct Monitor: Sendable {
    let peer: PeerID
    let account: AccountIndex
    /// The number of its query, which every answer bears.
    let request: UInt64
    let filter: HappeningFilter
    /// Whether it is told of what is raised with the payload.
    let wantsPayloads: Bool

    /// Happenings that it was sent, and how many of them it is known to have taken.
    var sentCount: UInt64 = 0
    var takenCount: UInt64 = 0
    /// Happenings that it was not told of since the last one that it was.
    var leftOutCount: UInt64 = 0
    /// The beat whose answer says that it has taken what was sent before; 0 while there is none.
    var beat: UInt64 = 0
    /// What had been sent before that beat.
    var sentBeforeBeat: UInt64 = 0
    /// How many of those under way each account has brought about: before that beat, and since.
    private var countsBeforeBeat: [AccountIndex: Int] = [:]
    private var counts: [AccountIndex: Int] = [:]

    init(
        peer: PeerID, account: AccountIndex, request: UInt64, filter: HappeningFilter,
        wantsPayloads: Bool
    ) {
        self.peer = peer
        self.account = account
        self.request = request
        self.filter = filter
        self.wantsPayloads = wantsPayloads
    }

    /// Happenings on their way to it.
    var underWayCount: UInt64 {
        sentCount - takenCount
    }

    /// Those of them that an account has brought about.
    func underWayCount(of account: AccountIndex) -> Int {
        (countsBeforeBeat[account] ?? 0) + (counts[account] ?? 0)
    }

    mutating func noteSent(by account: AccountIndex) {
        sentCount += 1
        counts[account, default: 0] += 1
    }

    mutating func beatSent(_ beat: UInt64) {
        self.beat = beat
        sentBeforeBeat = sentCount
        countsBeforeBeat = counts
        counts = [:]
    }

    mutating func beatAnswered() {
        beat = 0
        takenCount = sentBeforeBeat
        countsBeforeBeat = [:]
    }
}
