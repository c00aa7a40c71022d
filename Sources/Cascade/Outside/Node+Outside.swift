// SPDX-License-Identifier: Apache-2.0

import Glibc
import UnixSignals

/// What happens outside the tree and begins events: each runs a closure as the node, from the
/// moment the node stands in the tree until it leaves. The closure may trigger, publish, report and
/// so on; if it throws, the worker ends with that error.
///
///     @Environment(\.triggerEvent) var triggerEvent
///     …
///     Node("clock").every(.seconds(60)) { try await triggerEvent(MinutePassed()) }
extension Node {
    /// Runs `perform` whenever the process gets a signal, such as `SIGUSR1`, which then does
    /// nothing else to the process.
    ///
    /// - Precondition: it is one of SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM,
    ///   SIGTERM, SIGCONT and SIGWINCH.
    public func onSignal(
        _ signal: Int32, _ perform: @escaping @Sendable () async throws -> Void
    ) -> Node {
        guard let trapped = UnixSignal.trappable.first(where: { $0.rawValue == signal }) else {
            preconditionFailure("no node can wait for signal \(signal)")
        }
        return task {
            for await _ in await UnixSignalsSequence(trapping: trapped) {
                try await perform()
            }
        }
    }

    /// Runs `perform` again and again, the first time when the interval has passed once. Where it
    /// takes longer than the interval, the times that fall into it are left out.
    ///
    /// - Parameters:
    ///   - interval: how long it is from one time to the next.
    ///   - perform: what is run.
    ///   - clock: what measures the interval.
    public func every<C: Clock>(
        _ interval: Duration, clock: C = ContinuousClock(),
        _ perform: @escaping @Sendable () async throws -> Void
    ) -> Node where C.Duration == Duration {
        precondition(interval > .zero, "an interval is longer than nothing")
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

    /// Runs `perform` for each file that arrives in a directory complete, written and closed or
    /// moved there, with the file's name.
    public func onArrival(
        in directory: String, _ perform: @escaping @Sendable (String) async throws -> Void
    ) -> Node {
        task {
            for await name in try DirectoryWatch(directory).arrivals {
                try await perform(name)
            }
        }
    }

    /// Runs `perform` whenever a file was written and closed, or another one put in its place. It
    /// need not be there yet; its directory has to be.
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

    /// Runs `perform` for each line of standard input, or of what can be read at another file
    /// descriptor. At the end of the input the node stays.
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

    /// Runs `perform` when a child of this process has ended. It takes the child's exit status: no
    /// other part of the program may wait for the same child.
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
