// SPDX-License-Identifier: Apache-2.0

import Cascade

/// The processes of a bus in memory, in the order in which they were started.
actor ProcessRoster {
    private struct Entry {
        let process: AttachedProcess
        let number: UInt32
    }

    private var processes: [AttachedProcess] = []
    private let starts = AsyncStream<Entry>.makeStream()

    /// Runs processes as they are started, until none can be and all have ended.
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
        let number = UInt32(processes.count + 1)
        let attached = try AttachedProcess(process, number: number, on: broker)
        processes.append(attached)
        starts.continuation.yield(Entry(process: attached, number: number))
        return attached
    }

    func process(of session: SessionID) -> AttachedProcess? {
        processes.first { $0.sessionID == session }
    }

    /// Has the processes leave, the last one first. Throws what one of them failed with, if nobody
    /// knows of it yet.
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

    /// No process can be started any more.
    nonisolated func close() {
        starts.continuation.finish()
    }
}
