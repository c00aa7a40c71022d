// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Cascade

/// A reference that many threads read while it is replaced.
@Suite(.timeLimit(.minutes(1))) struct LatestReferenceTests {
    /// Counts its instances.
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

    @Test func `readers see complete objects in order, and replaced objects are released`() async {
        do {
            let latest = LatestReference(Counted(0))
            let last = 20_000
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        var isRight = true
                        var number = 0
                        while number < last {
                            let object = latest.object
                            isRight =
                                isRight && object.number == object.copy
                                && object.number >= number
                            number = object.number
                            // The writer may need the thread.
                            await Task.yield()
                        }
                        return isRight
                    }
                }
                group.addTask {
                    for number in 1...last {
                        latest.replace(with: Counted(number))
                    }
                    return true
                }
                for await isRight in group {
                    #expect(isRight)
                }
            }
            // There are no readers now, so the replaced objects can be released.
            latest.replace(with: Counted(0))
            #expect(Counted.count.load(ordering: .relaxed) == 1)
        }
        #expect(Counted.count.load(ordering: .relaxed) == 0)
    }
}
