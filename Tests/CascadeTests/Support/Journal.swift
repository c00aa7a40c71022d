// SPDX-License-Identifier: Apache-2.0

import Cascade

/// Entries in the order in which they were made, which a test can read or wait for.
actor Journal {
    private(set) var entries: [String] = []
    private var waiters: [(count: Int, waiter: Waiter<Void>)] = []

    func note(_ entry: String) {
        entries.append(entry)
        for waiting in waiters where waiting.count <= entries.count {
            waiting.waiter.resume(with: .success(()))
        }
        waiters.removeAll { $0.count <= entries.count }
    }

    /// Waits until there are `count` entries.
    func entries(_ count: Int) async throws -> [String] {
        if entries.count < count {
            try await Waiter.value { waiters.append((count, $0)) }
        }
        return entries
    }

    /// Waits until there is an entry with this text.
    func waits(for entry: String) async throws {
        var count = entries.count
        while !entries.contains(entry) {
            count += 1
            _ = try await entries(count)
        }
    }
}
