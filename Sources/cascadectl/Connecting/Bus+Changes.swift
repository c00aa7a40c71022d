// SPDX-License-Identifier: Apache-2.0

import Cascade

extension Bus {
    /// Returns a stream with an element for each change of an answer, which ends with the session.
    /// Changes during processing are combined.
    func changes(_ subjects: [Query.Subject]) async throws -> AsyncStream<Void> {
        var watches: [(answers: AsyncStream<[UInt8]>, known: Int)] = []
        for subject in subjects {
            // The first answer is the current state, except for a monitor, whose answers are
            // events.
            let known = if case .monitor = subject { 0 } else { 1 }
            watches.append((try await link.watch(subject), known))
        }
        let (stream, continuation) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let watching = watches
        let task = Task {
            await withDiscardingTaskGroup { group in
                for watch in watching {
                    group.addTask {
                        for await _ in watch.answers.dropFirst(watch.known) {
                            continuation.yield()
                        }
                    }
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}
