// SPDX-License-Identifier: Apache-2.0

/// The accounts of all who have ever connected, and first of all that of the bus itself.
struct AccountTable: Sendable {
    /// The number of the bus's own account.
    static let own: UInt32 = 0

    private var numbers: [Owner: UInt32] = [:]
    private(set) var accounts = [Account(owner: Owner(userID: 0))]

    /// The number of the owner's account.
    mutating func number(of owner: Owner) -> UInt32 {
        if let number = numbers[owner] {
            return number
        }
        let number = UInt32(accounts.count)
        accounts.append(Account(owner: owner))
        numbers[owner] = number
        return number
    }

    subscript(number: UInt32) -> Account {
        _read { yield accounts[Int(number)] }
        _modify { yield &accounts[Int(number)] }
    }
}
