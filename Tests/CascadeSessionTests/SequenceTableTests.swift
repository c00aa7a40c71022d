// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Testing

@testable import CascadeSession

@Suite
struct SequenceTableTests {
    @Test(arguments: 1...20)
    func `random changes give what a dictionary gives`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = SequenceTable<Int>()
        var model: [UInt64: Int] = [:]
        var last: UInt64 = 0
        for step in 0..<2_000 {
            let number = UInt64.random(in: 0...(last + 2), using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...2:
                last += UInt64.random(in: 1...3, using: &generator)
                table.append(step, at: last)
                model[last] = step
            case 3...5:
                let oldest = model.keys.min() ?? number
                #expect(table.remove(oldest) == model.removeValue(forKey: oldest))
            case 6:
                #expect(table.remove(number) == model.removeValue(forKey: number))
            default:
                table.update(number) { $0 += 1 }
                model[number]? += 1
            }
            #expect(table.count == model.count)
            #expect(table[number] == model[number])
        }
        table.updateAll { $0 = -$0 }
        #expect(table.all.map(\.number) == model.keys.sorted())
        #expect(table.all.allSatisfy { model[$0.number] == -$0.value })
    }

    @Test
    func `one value that stays keeps no gaps of the many behind it`() {
        var table = SequenceTable<Int>()
        table.append(0, at: 1)
        for number in 2...100_000 as ClosedRange<UInt64> {
            table.append(1, at: number)
            #expect(table.remove(number) == 1)
        }
        #expect(table.count == 1)
        #expect(table.placeCount < 200)
        #expect(table[1] == 0)
    }
}
