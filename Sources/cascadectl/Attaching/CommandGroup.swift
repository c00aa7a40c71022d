// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc
import Synchronization

/// The process group of a command that runs for a visit. Ending the group ends all its processes.
actor CommandGroup {
    /// The time between SIGTERM and SIGKILL.
    private static let terminationTime = Duration.seconds(5)
    /// The interval at which the group is checked for its end.
    private static let interval = Duration.milliseconds(20)

    private let commandGuard: CommandGuard
    /// The group's ID; `nil` until the command runs.
    private var id: pid_t?
    /// Whether the command has ended or could not be started.
    private var hasEnded = false
    private var ending: Task<Void, Never>?

    /// Whether the group was ended because the visit's deadline expired.
    private(set) var hasTimedOut = false

    /// Creates a group without processes.
    ///
    /// - Parameter commandGuard: Ends the group if this process exits before it.
    init(commandGuard: CommandGuard) {
        self.commandGuard = commandGuard
    }

    /// Records that the command runs; its process leads the group.
    func begin(_ process: pid_t) {
        commandGuard.begin(process)
        id = process
    }

    /// Records that the command has ended or could not be started.
    func finish() {
        hasEnded = true
        if ending == nil {
            release()
        }
    }

    /// Tells the guard that nothing of the group is left to end.
    private func release() {
        if let id {
            commandGuard.end(id)
        }
    }

    /// Ends the group because of the deadline, unless the command has ended. Returns whether the
    /// deadline ended it.
    func timeOut() async -> Bool {
        guard !hasEnded, ending == nil else {
            return false
        }
        hasTimedOut = true
        await end()
        return true
    }

    /// Sends SIGTERM to the group, and SIGKILL to the processes that are left 5 seconds later.
    func end() async {
        if ending == nil {
            ending = Task { await terminate() }
        }
        await ending?.value
    }

    private func terminate() async {
        defer { release() }
        let start = ContinuousClock.now
        var isTerminated = false
        while ContinuousClock.now - start < Self.terminationTime {
            if let id {
                if !isTerminated {
                    kill(-id, SIGTERM)
                    isTerminated = true
                }
                guard kill(-id, 0) == 0 else {
                    return
                }
            } else if hasEnded {
                return
            }
            try? await Task.sleep(for: Self.interval)
        }
        if let id {
            kill(-id, SIGKILL)
        }
    }
}

// MARK: - The guard

/// A helper process that ends the running commands when this process exits without ending them, for
/// example after SIGKILL.
///
/// `PR_SET_PDEATHSIG` would end only the first process of a command, and would also end it when the
/// thread that started it exits. The guard reads the commands' process groups from a stream, which
/// the kernel closes when this process exits for any reason. A command is added right after its
/// start; if this process is killed between the two, the command continues.
final class CommandGuard: Sendable {
    private let descriptor: Int32
    /// Whether the exit of the guard has been reported.
    private let isLost = Mutex(false)

    /// The script of the guard, which keeps a list of groups. At the end of its input it sends them
    /// SIGTERM, and SIGKILL 5 seconds later. It ignores the signals of terminals and service
    /// managers.
    private static let script = """
        trap '' INT TERM HUP QUIT
        groups=
        while read -r change group; do
            rest=
            for other in $groups; do
                [ "$other" = "$group" ] || rest="$rest $other"
            done
            groups=$rest
            [ "$change" = begin ] && groups="$groups $group"
        done
        for group in $groups; do kill -s TERM -- "-$group"; done
        step=0
        while [ -n "$groups" ] && [ "$step" -lt 50 ]; do
            sleep 0.1
            step=$((step + 1))
            rest=
            for group in $groups; do
                kill -s 0 -- "-$group" && rest="$rest $group"
            done
            groups=$rest
        done
        for group in $groups; do kill -s KILL -- "-$group"; done
        """

    /// Starts the guard. Throws ``Stop`` if that fails.
    init() throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw Self.failure(ErrorNumber(errno))
        }
        defer { close(ends[1]) }
        // A reader of this process's outputs waits until the guard, too, has closed them.
        let start = ProgramStart(
            path: "/bin/sh", words: ["sh", "-c", Self.script, "cascadectl-guard"],
            input: .descriptor(ends[1]), output: .devNull, errors: .devNull)
        do throws(ErrorNumber) {
            _ = try start.run()
        } catch {
            close(ends[0])
            throw Self.failure(error)
        }
        descriptor = ends[0]
    }

    deinit {
        close(descriptor)
    }

    /// Adds a group for the guard to end.
    func begin(_ group: pid_t) {
        send("begin \(group)\n")
    }

    /// Removes a group.
    func end(_ group: pid_t) {
        send("end \(group)\n")
    }

    private func send(_ line: String) {
        let bytes = Array(line.utf8)
        guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) != bytes.count else {
            return
        }
        let isReported = isLost.withLock { isLost in
            defer { isLost = true }
            return isLost
        }
        if !isReported {
            Output.diagnostic(
                "the guard of the commands has exited: if this process is killed, the commands "
                    + "continue")
        }
    }

    private static func failure(_ error: ErrorNumber) -> Stop {
        Stop(.failure, "cannot start the guard of the commands: \(error)")
    }
}
