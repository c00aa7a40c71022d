// SPDX-License-Identifier: Apache-2.0

/// The departure of a node from the tree, for tasks that wait for it.
actor Departure {
    private var result: Result<Void, CascadeError>?
    private var waiters: [Waiter<Void>] = []

    var hasHappened: Bool {
        result != nil
    }

    func happened(_ result: Result<Void, CascadeError>) {
        guard self.result == nil else {
            return
        }
        self.result = result
        for waiter in waiters {
            waiter.resume(with: result.mapError { $0 })
        }
        waiters = []
    }

    /// Throws the reason if the node did not leave by itself, and `CancellationError` if the task
    /// is cancelled.
    func wait() async throws {
        if let result {
            return try result.get()
        }
        try await Waiter.value { waiters.append($0) }
    }
}
