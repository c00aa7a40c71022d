// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The process group of a command that runs for a visit: what the command has started ends with it.
actor CommandGroup {
    /// How long its processes may take to end before they are killed.
    private static let patience = Duration.seconds(5)
    private static let interval = Duration.milliseconds(20)

    private let guardian: CommandGuard
    private var id: pid_t?
    private var isOver = false
    private var ending: Task<Void, Never>?

    /// Whether the group was ended because the visit's deadline has passed.
    private(set) var hasTimedOut = false

    /// - Parameter guardian: ends the group if this process goes before it.
    init(guardian: CommandGuard) {
        self.guardian = guardian
    }

    /// The command runs; its process leads the group.
    func begin(_ process: pid_t) {
        guardian.begin(process)
        id = process
    }

    /// The command has ended, or could not be started.
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

    /// Has the group end because of the deadline, unless the command has ended. Returns whether the
    /// deadline is what ended it.
    func timeOut() async -> Bool {
        guard !isOver, ending == nil else {
            return false
        }
        hasTimedOut = true
        await end()
        return true
    }

    /// Asks all processes of the group to end, and kills those that are still there after a while.
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
