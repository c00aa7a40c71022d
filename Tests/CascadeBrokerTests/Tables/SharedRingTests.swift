// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Testing

@testable import CascadeBroker

@Suite struct SharedRingTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `entries are listed in order, and each account's oldest entry is known`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var ring = SharedRing<Int>()
        var model: [(place: SharedRing<Int>.Place, account: AccountIndex, value: Int)] = []
        for value in 0..<500 {
            if generator.below(3) > 0 || model.isEmpty {
                let account = AccountIndex(UInt32(generator.below(4)))
                let place = ring.append(value, for: account)
                ring[place] = value
                model.append((place, account, value))
            } else {
                let removed = model.remove(at: generator.below(model.count))
                ring.remove(removed.place)
                #expect(!ring.contains(removed.place))
            }
            #expect(ring.count == model.count)
            #expect(ring.elements == model.map(\.value))
            for account in (0..<4).map({ AccountIndex($0) }) {
                let oldest = model.first { $0.account == account }
                #expect(ring.oldest(of: account).map { ring[$0] } == oldest?.value)
            }
        }
        ring.compact()
        #expect(ring.elements == model.map(\.value))
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a user within its share loses no entry`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var accounts = AccountTable()
        accounts.share()
        let users = (1...4 as ClosedRange<UInt32>).map { accounts.number(of: Owner(userID: $0)) }
        for user in users {
            accounts.beginSession(of: user)
        }
        var ring = SharedRing<AccountIndex>()
        let limit: UInt32 = 40
        for _ in 0..<1_000 {
            // One of the users is much busier than the others.
            let user = generator.below(4) > 0 ? users[0] : users[generator.below(4)]
            let before = users.map { accounts.used(.traces, by: $0) }
            let place = try #require(
                ring.append(for: user, in: .traces, limit: limit, &accounts, user))
            ring[place] = user
            for (other, count) in zip(users, before) where other != user && count <= 10 {
                #expect(accounts.used(.traces, by: other) == count)
            }
            #expect(accounts.used(.traces) <= Int(limit))
            #expect(accounts.used(.traces) == ring.count)
            for account in users {
                let count = ring.elements.count { $0 == account }
                #expect(accounts.used(.traces, by: account) == count)
            }
        }
    }

    @Test func `a full table keeps the youngest entries of an account, in order`() throws {
        var accounts = AccountTable()
        let user = accounts.number(of: Owner(userID: 1))
        accounts.beginSession(of: user)
        var ring = SharedRing<Int>()
        var kept: [Int] = []
        // The limit is lowered on the way, to one entry at last.
        for value in 0..<60 {
            let limit: UInt32 = value < 20 ? 5 : value < 40 ? 3 : 1
            let place = try #require(
                ring.append(for: user, in: .traces, limit: limit, &accounts, value))
            ring[place] = value
            kept = Array((kept + [value]).suffix(Int(limit)))
            #expect(ring.elements == kept)
            #expect(ring.oldest(of: user).map { ring[$0] } == kept.first)
            #expect(accounts.used(.traces, by: user) == kept.count)
        }
    }
}
