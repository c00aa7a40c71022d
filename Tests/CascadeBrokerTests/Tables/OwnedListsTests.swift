// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Testing

@testable import CascadeBroker

@Suite struct OwnedListsTests {
    /// Each record of the slab is in the list of the owner that its number names.
    private struct Model: ~Copyable {
        var slab = Slab<Int>()
        var index = OwnedLists<Bool, Int>()
        /// The latest first.
        var lists: [Int: [Slab<Int>.Index]] = [:]

        static func owner(_ number: Int) -> Slab<Bool>.Index {
            .imagined(number)
        }

        mutating func insert(_ owner: Int) {
            let record = slab.insert(0) { $0 = owner }
            index.insert(record, of: Self.owner(owner))
            lists[owner, default: []].insert(record, at: 0)
        }

        mutating func remove(_ record: Slab<Int>.Index) {
            lists[slab[record]]?.removeAll { $0 == record }
            index.remove(record)
            slab.remove(record)
        }

        func check(_ comment: Comment) {
            for owner in 0..<6 {
                #expect(index.records(of: Self.owner(owner)) == lists[owner] ?? [], comment)
            }
        }
    }

    @Test func `each owner has its own records, the latest first, after any changes`() {
        var random = SeededGenerator(seed: 41)
        var model = Model()
        for step in 0..<3_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                model.insert(Int.random(in: 0..<5, using: &random))
            case 6..<9:
                if let record = model.slab.indices.randomElement(using: &random) {
                    model.remove(record)
                }
            default:
                let owner = Int.random(in: 0..<5, using: &random)
                model.index.removeAll(of: Model.owner(owner))
                // Removing a record that is in no list has no effect.
                for record in model.lists.removeValue(forKey: owner) ?? [] {
                    model.remove(record)
                }
            }
            if step.isMultiple(of: 50) {
                model.check("after step \(step)")
            }
        }
        model.check("at the end")
    }
}
