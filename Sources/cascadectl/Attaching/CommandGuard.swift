// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A helper process that outlives this one: it ends commands that still run when this process exits
/// without ending them, for example after SIGKILL.
///
/// `PR_SET_PDEATHSIG` would end only the first process of a command, and also at the end of the
/// thread that started it. The guard reads the commands' process groups from a stream, which the
/// kernel closes when this process exits for any reason. A command is added as soon as it has been
/// started; one that is started at the moment of the kill may be missed.
final class CommandGuard: Sendable {
    private let descriptor: Int32
    private let isLost = Mutex(false)

    /// The script of the guard. It keeps a list of groups, sends them SIGTERM at the end of its
    /// input, and SIGKILL after 5 seconds. It ignores the signals of a terminal or service manager.
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
            throw Self.failure(errno)
        }
        let result = Self.spawn(input: ends[1])
        close(ends[1])
        guard result == 0 else {
            close(ends[0])
            throw Self.failure(result)
        }
        descriptor = ends[0]
    }

    deinit {
        close(descriptor)
    }

    /// Adds a group, which the guard ends if this process exits.
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
        let isKnown = isLost.withLock { isLost in
            defer { isLost = true }
            return isLost
        }
        if !isKnown {
            Output.diagnostic(
                "the guard of the commands has exited: if this process is killed, the commands "
                    + "continue")
        }
    }

    private static func spawn(input: Int32) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        // A reader of this process's outputs must not wait for the guard.
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        let arguments = ["sh", "-c", script, "cascadectl-guard"]
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        words.append(nil)
        defer {
            for word in words {
                free(word)
            }
        }
        var process = pid_t()
        return posix_spawn(&process, "/bin/sh", &actions, &attributes, words, environ)
    }

    private static func failure(_ code: Int32) -> Stop {
        Stop(
            .failure,
            "cannot start the guard of the commands: "
                + String(cString: strerror(code)))
    }
}
