// SPDX-License-Identifier: Apache-2.0

import Cascade
import Synchronization

private struct CopiesKey: EnvironmentKey {
    static let defaultValue = 1
}

private struct TitleKey: EnvironmentKey {
    static let defaultValue = "none"
}

extension EnvironmentValues {
    fileprivate var copies: Int {
        get { self[CopiesKey.self] }
        set { self[CopiesKey.self] = newValue }
    }

    fileprivate var title: String {
        get { self[TitleKey.self] }
        set { self[TitleKey.self] = newValue }
    }
}

/// A type of a worker with environment properties. The compiler does not know their key paths at the point
/// of use.
private struct Reader: Sendable {
    @Environment(\.copies) var copies
    @Environment(\.title) var title

    @inline(never)
    static func make() -> Reader {
        Reader()
    }
}

/// A benchmark of reads of watched values, by one task and by two concurrent tasks.
enum ReadBenchmark {
    private static let batchCount = 1_000
    private static let readsPerBatch = 1_000

    static func run() async throws {
        let results = Mutex<[String]>([])
        let (done, continuation) = AsyncStream<Void>.makeStream()
        let reader = Node("reader").watch(\.copies, \.title).task {
            for taskCount in [1, 2] {
                let nanoseconds = await measure(taskCount)
                results.withLock { results in
                    results.append("library-read: \(taskCount) task(s), \(nanoseconds) ns per read")
                }
            }
            continuation.finish()
        }
        let bench = Node("bench") { reader }.environment(\.copies, 3).environment(\.title, "A")
        try await WorkerProcess { bench }.run {
            for await _ in done {}
        }
        for result in results.withLock({ $0 }) {
            print(result)
        }
    }

    /// Returns the time of a read with `taskCount` concurrent tasks, in nanoseconds.
    private static func measure(_ taskCount: Int) async -> UInt64 {
        await withTaskGroup(of: UInt64.self) { group in
            for _ in 0..<taskCount {
                group.addTask { read() }
            }
            var slowest: UInt64 = 0
            for await nanoseconds in group {
                slowest = max(slowest, nanoseconds)
            }
            return slowest
        }
    }

    /// Returns the time of a read in nanoseconds: the median of many short batches, because other processes
    /// disturb some of them.
    private static func read() -> UInt64 {
        let reader = Reader.make()
        var sum = 0
        var samples: [UInt64] = []
        for _ in 0..<batchCount {
            let start = LibraryBenchmark.now()
            for _ in 0..<readsPerBatch / 2 {
                sum += reader.copies
                sum += reader.title.utf8.count
            }
            samples.append(LibraryBenchmark.now() - start)
        }
        precondition(sum > 0, "the values were not read")
        return samples.sorted()[batchCount / 2] / UInt64(readsPerBatch)
    }
}
