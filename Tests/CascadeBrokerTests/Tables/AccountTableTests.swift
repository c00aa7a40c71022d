// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Testing

@testable import CascadeBroker

@Suite struct AccountTableTests {
    @Test(arguments: 1...6)
    func `a table filled by any number of users has room for a new user`(count: Int) {
        var accounts = AccountTable()
        accounts.share()
        for user in 1...UInt32(count) {
            let account = accounts.number(of: Owner(userID: user))
            accounts.beginSession(of: account)
            var taken = 0
            while case .free = accounts.room(for: 1, in: .retained, of: account, limit: 10_000) {
                accounts.charge(1, .retained, to: account)
                taken += 1
            }
            #expect(taken > 0, "user \(user) of \(count)")
        }
        #expect(accounts.used(.retained) < 10_000)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the total use never exceeds the limit when each user stays within its share`(seed: UInt64)
    {
        var generator = SeededGenerator(seed: seed)
        var accounts = AccountTable()
        if generator.below(4) > 0 {
            accounts.share()
        }
        let users = (1...5 as ClosedRange<UInt32>).map { accounts.number(of: Owner(userID: $0)) }
        var used = [Int](repeating: 0, count: users.count)
        for _ in 0..<2_000 {
            let place = generator.below(users.count)
            if generator.below(3) == 0 {
                accounts.release(used[place], .heldBytes, from: users[place])
                used[place] = 0
            } else {
                let amount = generator.below(300)
                let share = accounts.share(of: users[place], in: .heldBytes, limit: 1_000)
                if share.hasRoom(for: amount) {
                    accounts.charge(amount, .heldBytes, to: users[place])
                    used[place] += amount
                }
            }
            #expect(accounts.used(.heldBytes) == used.reduce(0, +))
            #expect(used.reduce(0, +) <= 1_000)
            #expect(accounts.presentCount == used.count { $0 > 0 })
        }
    }
}
