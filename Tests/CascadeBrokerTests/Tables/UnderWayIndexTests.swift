// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Testing

@testable import CascadeBroker

@Suite struct UnderWayIndexTests {
    /// Each record of the slab is in the list of the session that its number names.
    private struct Model: ~Copyable {
        var slab = Slab<Int>()
        var index = UnderWayIndex<Int>()
        var lists: [Int: Set<Slab<Int>.Index>] = [:]

        static func session(_ number: Int) -> SessionIndex {
            .imagined(number)
        }

        mutating func insert(_ session: Int) {
            let record = slab.insert(0) { $0 = session }
            index.insert(record, of: Self.session(session))
            lists[session, default: []].insert(record)
        }

        mutating func remove(_ record: Slab<Int>.Index) {
            lists[slab[record]]?.remove(record)
            index.remove(record)
            slab.remove(record)
        }

        func check(_ comment: Comment) {
            for session in 0..<6 {
                let expected = (lists[session] ?? []).sorted()
                let found = index.records(of: Self.session(session), in: slab)
                #expect(found == expected, comment)
            }
        }
    }

    @Test func `each session has its own records after any insertions and removals`() {
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
                let session = Int.random(in: 0..<5, using: &random)
                model.index.removeAll(of: Model.session(session))
                // Removing a record that is in no list has no effect.
                for record in model.lists.removeValue(forKey: session) ?? [] {
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
