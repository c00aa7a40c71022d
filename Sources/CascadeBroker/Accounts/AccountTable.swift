// SPDX-License-Identifier: Apache-2.0

/// The accounts of all users that have ever connected, and first of all that of the bus itself.
struct AccountTable: Sendable {
    /// The number of the bus's own account.
    static let own: UInt32 = 0

    private var numbers: [UInt32: UInt32] = [:]
    private(set) var accounts = [Account(userID: 0)]

    /// The number of the user's account.
    mutating func number(of userID: UInt32) -> UInt32 {
        if let number = numbers[userID] {
            return number
        }
        let number = UInt32(accounts.count)
        accounts.append(Account(userID: userID))
        numbers[userID] = number
        return number
    }

    subscript(number: UInt32) -> Account {
        _read { yield accounts[Int(number)] }
        _modify { yield &accounts[Int(number)] }
    }
}
