// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Testing

@testable import CascadeBroker

@Suite struct SlabTests {
    @Test("A number is used again, and its generation tells the successor")
    func generations() {
        var slab = Slab<String>()
        let first = slab.insert("") { $0 = "first" }
        let generation = slab.generation(first)
        #expect(slab.contains(first, generation: generation))
        slab.remove(first)
        #expect(!slab.contains(first))
        #expect(!slab.contains(first, generation: generation))

        let second = slab.insert("") { $0 = "second" }
        #expect(second == first)
        #expect(slab[second] == "second")
        #expect(!slab.contains(second, generation: generation))
        #expect(slab.contains(second, generation: slab.generation(second)))
    }

    @Test("A record is made from what the freed one left")
    func reuse() {
        var slab = Slab<[Int]>()
        let first = slab.insert([]) { $0.append(1) }
        slab.remove(first)
        let second = slab.insert([]) { $0.append(2) }
        #expect(slab[second] == [1, 2])
    }

    @Test("Records keep their numbers and values while others come and go", arguments: 0..<10)
    func agreesWithDictionary(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var slab = Slab<Int>()
        var expected: [UInt32: Int] = [:]
        for value in 0..<500 {
            if generator.isLucky(60) || expected.isEmpty {
                let number = slab.insert(0) { $0 = value }
                #expect(expected.updateValue(value, forKey: number) == nil)
            } else {
                let number = generator.pick(expected.keys.sorted())
                slab.remove(number)
                expected[number] = nil
            }
            #expect(slab.count == expected.count)
            #expect(slab.indices == expected.keys.sorted())
            #expect(expected.allSatisfy { slab[$0.key] == $0.value })
        }
    }

    @Test("A number that never was is not contained")
    func unknownNumbers() {
        let slab = Slab<Int>()
        #expect(!slab.contains(0))
        #expect(!slab.contains(.max))
        #expect(!slab.contains(7, generation: 1))
    }
}
