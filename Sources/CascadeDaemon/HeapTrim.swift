// SPDX-License-Identifier: Apache-2.0

import CLinux
import CascadeBroker

/// Decides when free heap memory is returned to the system. By itself glibc keeps all of an arena
/// that lies below its last chunk in use: one event that is held is enough to keep what a flood took.
struct HeapTrim {
    /// Messages, and bytes waiting at once, that make a look at the heap worth its price.
    private static let messageCountMin = 1_024
    private static let byteCountMin = 16 << 20
    private static let milliseconds: UInt32 = 1_000

    /// When the heap is to be looked at: once less happens. `nil` if little has happened since the
    /// last time.
    private(set) var deadline: Instant?
    private var messageCount = 0
    /// Bytes that were resident beyond those in use after the last trim, and cannot be returned.
    private var unreturnable = 0

    mutating func note(messages: Int, waitingByteCount: Int, at now: Instant) {
        messageCount += messages
        if messageCount >= Self.messageCountMin || waitingByteCount >= Self.byteCountMin {
            messageCount = 0
            deadline = now.advanced(byMilliseconds: Self.milliseconds)
        }
    }

    func isDue(at now: Instant) -> Bool {
        deadline.map { $0 <= now } ?? false
    }

    /// Returns unused memory to the system if there is much of it, which takes milliseconds: to be
    /// called when nothing else is to be done.
    mutating func trim() {
        deadline = nil
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
