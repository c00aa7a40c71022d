// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// How much of a shared table one user may have, and how much it has.
struct Share: Sendable {
    let table: SharedTable
    let owner: Owner
    /// Entries, or bytes, that the user has.
    let used: Int
    /// The most that it may have as things stand.
    let size: Int
    /// What the limit allows all users together.
    let limit: UInt32
    /// Whether the limit is lower than configured because the disk is small.
    var isBoundByDisk = false

    func hasRoom(for amount: Int) -> Bool {
        amount <= 0 || used + amount <= size
    }

    /// Throws, with the limit, the use and the share, if the user may not have so many more.
    func check(_ amount: Int) throws(WireError) {
        guard hasRoom(for: amount) else {
            throw WireError(
                .limitReached,
                "\(owner) uses \(used) of its share of \(size) (\(table.noun)), and \(amount) more "
                    + "would exceed it; all users together have \(limit) (limit \(table.name)"
                    + (isBoundByDisk ? ", as far as the disk has room)" : ")"))
        }
    }
}
