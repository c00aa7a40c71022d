// SPDX-License-Identifier: Apache-2.0

import Glibc
import UnixSignals
import ZeroMQ

/// Event sources outside the tree. Each runs a closure as the node while the node is in the tree.
/// The closure may trigger, publish, report and so on; if it throws, the worker ends with that
/// error.
///
///     @Environment(\.triggerEvent) var triggerEvent
///     …
///     Node("clock").every(.seconds(60)) { try await triggerEvent(MinutePassed()) }
extension NodeConvertible {
    /// Runs `perform` whenever the process receives a signal, such as `SIGUSR1`. The signal has no
    /// other effect on the process.
    ///
    /// - Precondition: The signal is SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM,
    ///   SIGTERM, SIGCONT or SIGWINCH.
    public func onSignal(
        _ signal: Int32, _ perform: @escaping @Sendable () async throws -> Void
    ) -> Node {
        guard let trapped = UnixSignal.trappable.first(where: { $0.rawValue == signal }) else {
            preconditionFailure("signal \(signal) cannot be trapped")
        }
        return task {
            for await _ in await UnixSignalsSequence(trapping: trapped) {
                try await perform()
            }
        }
    }

    /// Runs `perform` periodically, for the first time after one interval. Times that pass while
    /// `perform` runs are skipped.
    ///
    /// - Parameters:
    ///   - interval: The time from one run to the next, greater than zero.
    ///   - clock: The clock that measures the interval.
    ///   - perform: The closure to run.
    public func every<C: Clock>(
        _ interval: Duration, clock: C = ContinuousClock(),
        _ perform: @escaping @Sendable () async throws -> Void
    ) -> Node where C.Duration == Duration {
        precondition(interval > .zero, "the interval must be greater than zero")
        return task {
            var next = clock.now.advanced(by: interval)
            while true {
                try await clock.sleep(until: next, tolerance: nil)
                try await perform()
                repeat {
                    next = next.advanced(by: interval)
                } while next < clock.now
            }
        }
    }

    /// Runs `perform` with the name of each file that arrives in a directory complete: written and
    /// closed, or moved into it.
    public func onArrival(
        in directory: String, _ perform: @escaping @Sendable (String) async throws -> Void
    ) -> Node {
        task {
            for await name in try DirectoryWatch(directory).arrivals {
                try await perform(name)
            }
        }
    }

    /// Runs `perform` whenever a file was written and closed, or replaced. The file need not exist
    /// yet; its directory must.
    public func onChange(
        ofFile path: String, _ perform: @escaping @Sendable () async throws -> Void
    ) -> Node {
        let slash = path.lastIndex(of: "/")
        let name = path[(slash.map(path.index(after:)) ?? path.startIndex)...]
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return onArrival(in: directory) { arrival in
            if arrival == name {
                try await perform()
            }
        }
    }

    /// Runs `perform` for each line of standard input or another file descriptor. The node stays in
    /// the tree at the end of the input.
    public func onLine(
        of descriptor: Int32 = 0,
        _ perform: @escaping @Sendable (String) async throws -> Void
    ) -> Node {
        task {
            var reader = try LineReader(descriptor)
            while let line = try await reader.next() {
                try await perform(line)
            }
        }
    }

    /// Runs `perform` when a child process has ended. It reaps the child: no other part of the
    /// program may wait for the same child.
    public func onExit(
        of processID: Int32, _ perform: @escaping @Sendable (ChildExit) async throws -> Void
    ) -> Node {
        task {
            if let exit = try await ChildExit.wait(for: processID) {
                try await perform(exit)
            }
        }
    }
}

extension UnixSignal {
    fileprivate static let trappable: [UnixSignal] = [
        .sighup, .sigint, .sigquit, .sigusr1, .sigusr2, .sigpipe, .sigalrm, .sigterm, .sigcont,
        .sigwinch,
    ]
}

/// The end of a child process.
public enum ChildExit: Hashable, Sendable {
    /// The process exited with this status.
    case exited(Int32)
    /// The process was terminated by this signal.
    case signalled(Int32)

    /// Creates a value from the status of `waitpid`.
    init(status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }

    /// Waits for a child to exit, and reaps it. Returns `nil` if the task is cancelled before.
    /// Throws ``SystemCallError`` if the child does not exist.
    static func wait(for processID: Int32) async throws -> ChildExit? {
        let (results, continuation) = AsyncThrowingStream<ChildExit, any Error>.makeStream()
        // The thread waits until the child has ended, even after a cancellation.
        try OwnThread.detached {
            var status: Int32 = 0
            var result = waitpid(processID, &status, 0)
            while result < 0, errno == EINTR {
                result = waitpid(processID, &status, 0)
            }
            if result < 0 {
                continuation.finish(throwing: SystemCallError("wait for process \(processID)"))
            } else {
                continuation.yield(ChildExit(status: status))
                continuation.finish()
            }
        }
        for try await exit in results {
            return exit
        }
        return nil
    }
}

/// A failed system call, with the operation and the system's reason.
public struct SystemCallError: Error, CustomStringConvertible {
    public let description: String

    /// Creates the error from `errno`, so call it directly after the failed call.
    package init(_ operation: String) {
        description = "\(operation): \(ErrorNumber(errno))"
    }
}
