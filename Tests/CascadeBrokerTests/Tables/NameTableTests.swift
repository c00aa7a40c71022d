// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@testable import CascadeBroker

@Suite struct NameTableTests {
    private static let none = SlotSet<NameIndex>()

    private static func name(_ text: String) -> EventName {
        EventName(unchecked: text)
    }

    @Test func `a number is reused only after its name has no users, connections or events`() {
        var accounts = AccountTable()
        let user = accounts.number(of: Owner(userID: 7))
        var names = NameTable()
        let number = names.number(of: Self.name("A"), for: user, &accounts)
        names.declare(number, by: user, &accounts)
        names.markDefined(number)
        names.sweep(keeping: Self.none, &accounts)
        #expect(names.name(number) == Self.name("A"))
        names.withdraw(number, by: user, &accounts)
        names.sweep(keeping: Self.none, &accounts)
        #expect(names.name(number) == Self.name("A"), "a connection knows it")
        names.markForgotten(number)
        var used = SlotSet<NameIndex>()
        used.insert(number)
        names.sweep(keeping: used, &accounts)
        #expect(names.name(number) == Self.name("A"), "an event has it")
        #expect(accounts.used(.names, by: user) == 1)
        names.sweep(keeping: Self.none, &accounts)
        #expect(names.name(number) == nil)
        #expect(names.count == 0)
        #expect(accounts.used(.names) == 0)
        #expect(throws: WireError.self) { try names.raised(number.number, nil) { _ in false } }
        #expect(names.number(of: Self.name("B"), for: user, &accounts) == number)
    }

    @Test func `a name is charged to one of the users that declare it`() {
        var accounts = AccountTable()
        let first = accounts.number(of: Owner(userID: 7))
        let second = accounts.number(of: Owner(userID: 8))
        var names = NameTable()
        let number = names.number(of: Self.name("A"), for: first, &accounts)
        names.declare(number, by: first, &accounts)
        names.declare(number, by: second, &accounts)
        #expect(accounts.used(.names, by: first) == 1)
        #expect(!names.isChargeable(Self.name("A"), to: second))
        names.withdraw(number, by: first, &accounts)
        #expect(accounts.used(.names, by: first) == 0)
        #expect(accounts.used(.names, by: second) == 1)
        names.withdraw(number, by: second, &accounts)
        #expect(names.isChargeable(Self.name("A"), to: first))
    }
}
