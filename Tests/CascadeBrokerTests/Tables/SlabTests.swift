// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire
import Testing

@testable import CascadeBroker

@Suite struct SlabTests {
    @Test func `a slot is reused with a new generation, so an old index is not contained`() {
        var slab = Slab<String>()
        let first = slab.insert("") { $0 = "first" }
        #expect(slab.contains(first) == true)
        slab.remove(first)
        #expect(slab.contains(first) == false)

        let second = slab.insert("") { $0 = "second" }
        #expect(second.slot == first.slot)
        #expect(second.number == first.number)
        #expect(second != first)
        #expect(second.id != first.id)
        #expect(slab[second] == "second")
        #expect(slab.contains(second) == true)
        #expect(slab.contains(first) == false)
        #expect(slab.index(ofID: first.id) == nil)
        #expect(slab.index(ofID: second.id) == second)
    }

    @Test func `a stale index stops the process`() async {
        await #expect(processExitsWith: .failure) {
            var slab = Slab<Int>()
            let first = slab.insert(0) { $0 = 1 }
            slab.remove(first)
            _ = slab.insert(0) { $0 = 2 }
            _ = slab[first]
        }
        await #expect(processExitsWith: .failure) {
            var slab = Slab<Int>()
            let first = slab.insert(0) { $0 = 1 }
            slab.remove(first)
            slab.remove(first)
        }
    }

    @Test func `a link leads to its record, and a stale link stops the process`() async {
        var slab = Slab<Int>()
        _ = slab.insert(0) { $0 = 1 }
        let second = slab.insert(0) { $0 = 2 }
        #expect(slab.index(at: second.link) == second)
        #expect(slab.index(at: .none) == .none)
        #expect(Slab<Int>.Index.none.link == .none)
        await #expect(processExitsWith: .failure) {
            var slab = Slab<Int>()
            let first = slab.insert(0) { $0 = 1 }
            slab.remove(first)
            _ = slab.index(at: first.link)
        }
    }

    @Test func `a number leads to the current record of its slot`() {
        var slab = Slab<Int>()
        #expect(slab.index(ofNumber: 0) == nil)
        let first = slab.insert(0) { $0 = 1 }
        #expect(first == .first)
        #expect(slab.index(ofNumber: first.number) == first)
        slab.remove(first)
        #expect(slab.index(ofNumber: first.number) == nil)
        let second = slab.insert(0) { $0 = 2 }
        #expect(slab.index(ofNumber: first.number) == second)
        #expect(slab.index(ofNumber: .max) == nil)
    }

    @Test func `a new record is made from the storage of the removed one`() {
        var slab = Slab<[Int]>()
        let first = slab.insert([]) { $0.append(1) }
        slab.remove(first)
        let second = slab.insert([]) { $0.append(2) }
        #expect(slab[second] == [1, 2])
    }

    @Test(arguments: 0..<10)
    func `records keep their indices and values while others change`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var slab = Slab<Int>()
        var expected: [Slab<Int>.Index: Int] = [:]
        var freed: [Slab<Int>.Index] = []
        for value in 0..<500 {
            if generator.isLucky(60) || expected.isEmpty {
                let index = slab.insert(0) { $0 = value }
                #expect(expected.updateValue(value, forKey: index) == nil)
            } else {
                let index = generator.pick(expected.keys.sorted())
                slab.remove(index)
                expected[index] = nil
                freed.append(index)
            }
            #expect(slab.count == expected.count)
            #expect(slab.indices == expected.keys.sorted())
            for (index, value) in expected {
                #expect(slab[index] == value)
            }
            for index in freed {
                #expect(slab.contains(index) == false)
            }
        }
    }

    @Test func `the slab contains neither an unused index nor the index none`() {
        var slab = Slab<Int>()
        #expect(slab.contains(.first) == false)
        #expect(slab.contains(.none) == false)
        for value in 0..<3 {
            _ = slab.take(value)
        }
        #expect(slab.contains(.first) == true)
        #expect(slab.contains(.none) == false)
        #expect(slab.contains(.imagined(0)) == false)
        #expect(slab.index(ofID: Slab<Int>.Index.none.id) == nil)
    }

    @Test func `the numbers of no node and of no name are those of headers`() {
        #expect(NodeIndex.none.number == Header.noNode)
        #expect(NameIndex.none.number == Header(.beat).name)
    }
}

extension Slab.Index {
    /// An index that no record has.
    static func imagined(_ number: Int) -> Self {
        Self(UInt32(truncatingIfNeeded: number), generation: 0)
    }
}
