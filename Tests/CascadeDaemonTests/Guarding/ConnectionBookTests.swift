// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CascadeDaemon

@Suite struct ConnectionBookTests {
    private static let second: UInt64 = 1_000_000_000
    private let owner = ConnectionBook.Owner(userID: 7, processID: 70)
    private var book = ConnectionBook(userMax: 2, totalMax: 10, deadlineMilliseconds: 10_000)

    private func connection(_ descriptor: Int32, _ inode: UInt64) -> ConnectionID {
        ConnectionID(descriptor: descriptor, inode: inode)
    }

    @Test("The newest connection over a user's limit is closed")
    mutating func crowded() {
        #expect(book.accept(connection(5, 1), of: owner, at: 0) == nil)
        #expect(book.accept(connection(6, 2), of: owner, at: 0) == nil)
        let last = connection(7, 3)
        #expect(book.accept(last, of: owner, at: 0) == last)
        let other = ConnectionBook.Owner(userID: 8, processID: 80)
        #expect(book.accept(connection(8, 4), of: other, at: 0) == nil)
    }

    @Test("A connection that was silent for a second makes room for a new one")
    mutating func spare() {
        _ = book.accept(connection(5, 1), of: owner, at: 0)
        _ = book.accept(connection(6, 2), of: owner, at: 0)
        book.hear(connection(5, 1))
        let newcomer = connection(7, 3)
        #expect(book.accept(newcomer, of: owner, at: Self.second) == connection(6, 2))
        book.hear(newcomer)
        let next = connection(8, 4)
        #expect(book.accept(next, of: owner, at: 5 * Self.second) == next)
    }

    @Test("A message that arrives before its connection is registered counts")
    mutating func heardEarly() {
        book.hear(connection(5, 1))
        _ = book.accept(connection(5, 1), of: owner, at: 0)
        #expect(book.nextDeadline() == nil)
        #expect(book.remove(5) == nil)
    }

    @Test("A message of one connection does not count for the next with the same descriptor")
    mutating func descriptorUsedAgain() {
        _ = book.accept(connection(5, 1), of: owner, at: 0)
        book.hear(connection(5, 2))
        #expect(book.remove(5) == owner)
        _ = book.accept(connection(5, 2), of: owner, at: 0)
        #expect(book.nextDeadline() == nil)
        _ = book.remove(5)
        _ = book.accept(connection(5, 3), of: owner, at: 0)
        #expect(book.expelSilent(at: 10 * Self.second)?.connection == connection(5, 3))
        #expect(book.expelSilent(at: 10 * Self.second) == nil)
    }
}
