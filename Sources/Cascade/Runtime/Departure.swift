// SPDX-License-Identifier: Apache-2.0

/// A node's end: whoever waits for it learns that it is no longer in the tree.
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

    /// Throws what the node was taken out for, unless it left, and `CancellationError` if the task
    /// is cancelled meanwhile.
    func wait() async throws {
        if let result {
            return try result.get()
        }
        try await Waiter.value { waiters.append($0) }
    }
}
