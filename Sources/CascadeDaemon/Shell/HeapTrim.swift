// SPDX-License-Identifier: Apache-2.0

import CLinux
import CascadeBroker

/// Decides when free heap memory is returned to the system. By itself glibc keeps everything of an
/// arena below its last used chunk, so that one kept event can hold the memory of a whole burst.
struct HeapTrim {
    /// Messages, or bytes that wait or waited at once, after which the heap is examined.
    private static let messageCountMin = 1_024
    private static let byteCountMin = 16 << 20
    /// From the last message of a burst, and from the first one, to the examination.
    private static let milliseconds: UInt32 = 1_000
    private static let longestMilliseconds: UInt32 = 5_000

    /// When the heap is examined; postponed for a while as many messages arrive. `nil` if few
    /// messages arrived since the last time.
    private(set) var deadline: Instant?
    /// The deadline is postponed to this instant at most.
    private var latestDeadline: Instant?
    private var messageCount = 0
    /// The most bytes that have waited since so many were released.
    private var mostWaitingByteCount = 0
    /// Unused resident bytes after the last trim: they cannot be returned.
    private var unreturnable = 0

    mutating func record(messages: Int, waitingByteCount: Int, at now: Instant) {
        messageCount += messages
        mostWaitingByteCount = max(mostWaitingByteCount, waitingByteCount)
        // Bytes may wait for longer than a second, and are of no use when the peer has gone.
        let isReleased = mostWaitingByteCount - waitingByteCount >= Self.byteCountMin
        if messageCount >= Self.messageCountMin || waitingByteCount >= Self.byteCountMin
            || isReleased
        {
            messageCount = 0
            mostWaitingByteCount = waitingByteCount
            let latest = latestDeadline ?? now.advanced(byMilliseconds: Self.longestMilliseconds)
            latestDeadline = latest
            deadline = min(now.advanced(byMilliseconds: Self.milliseconds), latest)
        }
    }

    func isDue(at now: Instant) -> Bool {
        deadline.map { $0 <= now } ?? false
    }

    /// Returns unused memory to the system if there is much of it. Takes milliseconds; call it only
    /// when the broker is idle.
    mutating func trim() {
        deadline = nil
        latestDeadline = nil
        guard Self.unusedByteCount() > unreturnable + Self.byteCountMin else {
            return
        }
        cascade_trim_memory()
        unreturnable = max(0, Self.unusedByteCount())
    }

    /// Resident bytes that no allocation uses.
    private static func unusedByteCount() -> Int {
        Int(ProcessFacts.residentPrivateBytes()) - Int(cascade_allocated_byte_count())
    }
}
