// SPDX-License-Identifier: Apache-2.0

import Cascade

extension Bus {
    /// Yields whenever the answer to one of the queries has changed; ends with the session. Changes
    /// that come faster than they are looked at are one.
    func changes(_ subjects: [Query.Subject]) async throws -> AsyncStream<Void> {
        var watches: [AsyncStream<[UInt8]>] = []
        for subject in subjects {
            watches.append(try await link.watch(subject))
        }
        let (stream, continuation) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let watching = watches
        let task = Task {
            await withDiscardingTaskGroup { group in
                for watch in watching {
                    group.addTask {
                        // The first answer is how things stand.
                        for await _ in watch.dropFirst() {
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
