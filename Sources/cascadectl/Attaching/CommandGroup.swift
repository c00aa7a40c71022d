// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The process group of a command that runs for a visit. All processes of the group end with it.
actor CommandGroup {
    /// The time for which the processes may end by themselves before they are killed.
    private static let patience = Duration.seconds(5)
    private static let interval = Duration.milliseconds(20)

    private let guardian: CommandGuard
    private var id: pid_t?
    private var isOver = false
    private var ending: Task<Void, Never>?

    /// Whether the group was ended because the visit's deadline expired.
    private(set) var hasTimedOut = false

    /// Creates a group without processes.
    ///
    /// - Parameter guardian: Ends the group if this process exits before it.
    init(guardian: CommandGuard) {
        self.guardian = guardian
    }

    /// Records that the command runs; its process leads the group.
    func begin(_ process: pid_t) {
        guardian.begin(process)
        id = process
    }

    /// Records that the command has ended or could not be started.
    func finish() {
        isOver = true
        if ending == nil {
            release()
        }
    }

    private func release() {
        if let id {
            guardian.end(id)
        }
    }

    /// Ends the group because of the deadline, unless the command has ended. Returns whether the
    /// deadline ended it.
    func timeOut() async -> Bool {
        guard !isOver, ending == nil else {
            return false
        }
        hasTimedOut = true
        await end()
        return true
    }

    /// Sends SIGTERM to the group, and SIGKILL to processes that are left after a while.
    func end() async {
        if ending == nil {
            ending = Task { await terminate() }
        }
        await ending?.value
    }

    private func terminate() async {
        defer { release() }
        let start = ContinuousClock.now
        var hasAsked = false
        while ContinuousClock.now - start < Self.patience {
            if let id {
                if !hasAsked {
                    kill(-id, SIGTERM)
                    hasAsked = true
                }
                guard kill(-id, 0) == 0 else {
                    return
                }
            } else if isOver {
                return
            }
            try? await Task.sleep(for: Self.interval)
        }
        if let id {
            kill(-id, SIGKILL)
        }
    }
}
