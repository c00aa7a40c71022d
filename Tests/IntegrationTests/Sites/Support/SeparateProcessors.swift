// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// Gives the processors of this machine to processes for a measurement of local events: the daemon and the
/// thread that raises the events get the first one, all other processes of the tests the others.
///
/// The other site, the server, and the programs that a test starts would be on other machines. Where they
/// share two processors with the daemon, their starts take longer than all that a daemon does.
@FaultThread
enum SeparateProcessors {
    private static let own = "0"
    private static let others = "1-\(ProcessInfo.processInfo.activeProcessorCount - 1)"

    /// Gives a daemon, and the threads that `start` starts, their processor; the others to all processes that
    /// the tests have started or start later. Changes nothing on a machine with one processor.
    static func give(to daemon: pid_t, _ start: () throws -> Void) throws {
        guard ProcessInfo.processInfo.activeProcessorCount > 1 else {
            return try start()
        }
        for process in descendants(of: getpid()) where process != daemon {
            try? setThreads(of: process, others)
        }
        try setThreads(of: daemon, own)
        // A thread begins on the processors of the one that starts it.
        let thread = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        try set(own, thread)
        try start()
        try set(others, thread)
    }

    private static func setThreads(of process: pid_t, _ processors: String) throws {
        let folder = "/proc/\(process)/task"
        for thread in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try set(processors, "\(folder)/\(thread)")
        }
    }

    /// - Parameter thread: The folder of the thread in `/proc`.
    private static func set(_ processors: String, _ thread: String) throws {
        let id = try #require(thread.split(separator: "/").last)
        let program = try SpawnedProgram(
            "/usr/bin/taskset", ["--cpu-list", "--pid", processors, String(id)], bus: "")
        _ = try program.end()
    }

    /// The processes that a process has started, and those that these have.
    private static func descendants(of process: pid_t) -> [pid_t] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let children = Dictionary(grouping: entries.compactMap { pid_t($0) }, by: parent)
        var found: [pid_t] = []
        var next = [process]
        while let process = next.popLast() {
            let started = children[process] ?? []
            found += started
            next += started
        }
        return found
    }

    private static func parent(of process: pid_t) -> pid_t? {
        let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // The name, in parentheses, may have spaces.
        let fields = text?.split(separator: ")").last?.split(separator: " ")
        return fields.flatMap { $0.count > 1 ? pid_t($0[1]) : nil }
    }
}
