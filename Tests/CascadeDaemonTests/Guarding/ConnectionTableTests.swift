// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CascadeDaemon

@Suite struct ConnectionTableTests {
    private static let second: UInt64 = 1_000_000_000
    private let owner = ConnectionTable.Owner(userID: 7, processID: 70)
    private var table = ConnectionTable(userMax: 2, totalMax: 10, deadlineMilliseconds: 10_000)

    private func connection(_ descriptor: Int32, _ inode: UInt64) -> ConnectionID {
        ConnectionID(descriptor: descriptor, inode: inode)
    }

    @Test mutating func `the last connection over the limit is closed`() {
        #expect(table.accept(connection(5, 1), of: owner, at: 0) == nil)
        #expect(table.accept(connection(6, 2), of: owner, at: 0) == nil)
        let last = connection(7, 3)
        #expect(table.accept(last, of: owner, at: 0) == last)
        let other = ConnectionTable.Owner(userID: 8, processID: 80)
        #expect(table.accept(connection(8, 4), of: other, at: 0) == nil)
    }

    @Test mutating func `only a connection silent for a second is closed for a new one`() {
        _ = table.accept(connection(5, 1), of: owner, at: 0)
        _ = table.accept(connection(6, 2), of: owner, at: 0)
        table.markActive(connection(5, 1))
        let third = connection(7, 3)
        #expect(table.accept(third, of: owner, at: Self.second) == connection(6, 2))
        table.markActive(third)
        let next = connection(8, 4)
        #expect(table.accept(next, of: owner, at: 5 * Self.second) == next)
    }

    @Test mutating func `a message seen before the accept of its connection counts`() {
        table.markActive(connection(5, 1))
        _ = table.accept(connection(5, 1), of: owner, at: 0)
        #expect(table.nextDeadline() == nil)
        #expect(table.remove(5) == nil)
    }

    @Test mutating func `a message does not count for a later connection with the same descriptor`()
    {
        _ = table.accept(connection(5, 1), of: owner, at: 0)
        table.markActive(connection(5, 2))
        #expect(table.remove(5) == owner)
        _ = table.accept(connection(5, 2), of: owner, at: 0)
        #expect(table.nextDeadline() == nil)
        _ = table.remove(5)
        _ = table.accept(connection(5, 3), of: owner, at: 0)
        #expect(table.expelSilent(at: 10 * Self.second)?.connection == connection(5, 3))
        #expect(table.expelSilent(at: 10 * Self.second) == nil)
    }
}
