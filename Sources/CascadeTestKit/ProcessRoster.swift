// SPDX-License-Identifier: Apache-2.0

import Cascade

/// The processes of a bus in memory, in the order in which they were started.
actor ProcessRoster {
    private struct Entry {
        let process: AttachedProcess
        let number: UInt32
    }

    private enum State {
        case idle
        case running
        case ended
    }

    private var state = State.idle
    private var processes: [AttachedProcess] = []
    private let starts = AsyncStream<Entry>.makeStream()

    /// Marks the bus as running. Throws ``CascadeError`` if it has run before.
    func begin() throws {
        guard state == .idle else {
            throw CascadeError(.notRunning, "a bus in memory runs once")
        }
        state = .running
    }

    /// Throws ``CascadeError`` unless the bus runs.
    func checkRunning() throws {
        guard state == .running else {
            throw CascadeError(.notRunning, "the bus runs only while the body of 'run' does")
        }
    }

    /// Runs processes as they are started, until the roster is closed and all have ended.
    func run(on broker: LoopbackBroker) async {
        await withDiscardingTaskGroup { group in
            for await entry in starts.stream {
                group.addTask {
                    await entry.process.run(on: broker, processID: entry.number)
                }
            }
        }
    }

    func start(
        _ process: LoopbackProcess, on broker: LoopbackBroker
    ) throws -> AttachedProcess {
        try checkRunning()
        let number = UInt32(processes.count + 1)
        let attached = try AttachedProcess(process, number: number, on: broker)
        processes.append(attached)
        starts.continuation.yield(Entry(process: attached, number: number))
        return attached
    }

    func process(of session: SessionID) -> AttachedProcess? {
        processes.first { $0.sessionID == session }
    }

    /// Asks the processes to leave, the last one first. Throws the first error that
    /// ``AttachedProcess/end()`` has not reported.
    func dismissAll() async throws {
        var failure: (any Error)?
        for process in processes.reversed() {
            do {
                try await process.dismiss()
            } catch {
                failure = failure ?? error
            }
        }
        if let failure {
            throw failure
        }
    }

    func killAll() async {
        for process in processes {
            await process.kill()
        }
    }

    /// Closes the roster: no more processes can be started.
    func close() {
        state = .ended
        starts.continuation.finish()
    }
}
