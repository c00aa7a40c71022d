// SPDX-License-Identifier: Apache-2.0

import Cascade

/// A gate at which code waits until the test opens it.
actor Gate {
    private var isOpen = false
    private var waiters: [Waiter<Void>] = []

    /// Throws `CancellationError` if the task is cancelled before the gate is open.
    func pass() async throws {
        if !isOpen {
            try await Waiter.value { waiters.append($0) }
        }
    }

    func open() {
        isOpen = true
        for waiter in waiters {
            waiter.resume(with: .success(()))
        }
        waiters = []
    }
}
