// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Cascade

/// What many read while it is replaced.
@Suite(.timeLimit(.minutes(1))) struct LatestReferenceTests {
    /// Counts how many of its kind there are.
    private final class Counted: Sendable {
        static let count = Atomic<Int>(0)
        let number: Int
        let copy: Int

        init(_ number: Int) {
            self.number = number
            copy = number
            Self.count.add(1, ordering: .relaxed)
        }

        deinit {
            Self.count.subtract(1, ordering: .relaxed)
        }
    }

    @Test("Readers see whole objects, never an older one than before, and none is left behind")
    func hammered() async {
        do {
            let latest = LatestReference(Counted(0))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        var last = 0
                        while last < 20_000 {
                            let object = latest.object
                            #expect(object.number == object.copy && object.number >= last)
                            last = object.number
                            // The writer is to have its turn on any number of threads.
                            await Task.yield()
                        }
                    }
                }
                group.addTask {
                    for number in 1...20_000 {
                        latest.replace(with: Counted(number))
                    }
                }
            }
            // Nobody reads now, so that what was replaced can go.
            latest.replace(with: Counted(0))
            #expect(Counted.count.load(ordering: .relaxed) == 1)
        }
        #expect(Counted.count.load(ordering: .relaxed) == 0)
    }
}
