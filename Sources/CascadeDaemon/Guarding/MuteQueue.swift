// SPDX-License-Identifier: Apache-2.0

/// Connections that nothing has been heard of when they came, in that order.
struct MuteQueue {
    struct Mute {
        var connection: ConnectionID
        var acceptedAt: UInt64
    }

    private var mutes: [Mute] = []
    private var start = 0

    var first: Mute? {
        start < mutes.count ? mutes[start] : nil
    }

    mutating func append(_ mute: Mute) {
        mutes.append(mute)
    }

    /// What has been removed is moved away once it is half of all.
    mutating func removeFirst() {
        start += 1
        if start * 2 >= mutes.count {
            mutes.removeFirst(start)
            start = 0
        }
    }
}
