// SPDX-License-Identifier: Apache-2.0

/// To which account each kept message is charged, with how many bytes.
///
/// A plain array for each of the two ranges of numbers: whoever keeps messages uses numbers again.
struct PayloadLedger: Sendable {
    struct Entry: Sendable {
        var account = AccountTable.own
        /// 0 where nothing is charged.
        var byteCount: UInt32 = 0
    }

    private var received: [Entry] = []
    private var composed: [Entry] = []

    /// Notes the charge for a message. Returns false if it has been charged already.
    mutating func insert(_ payload: PayloadID, _ account: AccountIndex) -> Bool {
        let entry = Entry(account: account, byteCount: payload.byteCount)
        return payload.isComposed
            ? Self.insert(entry, at: payload.place, into: &composed)
            : Self.insert(entry, at: payload.place, into: &received)
    }

    private static func insert(_ entry: Entry, at place: Int, into entries: inout [Entry]) -> Bool {
        if place >= entries.count {
            let missing = place + 1 - entries.count
            entries.append(contentsOf: repeatElement(Entry(), count: missing))
        }
        guard entries[place].byteCount == 0 else {
            return false
        }
        entries[place] = entry
        return true
    }

    /// Forgets the charge for a message; `nil` if there is none.
    mutating func remove(_ payload: PayloadID) -> Entry? {
        payload.isComposed
            ? Self.remove(payload.place, from: &composed)
            : Self.remove(payload.place, from: &received)
    }

    private static func remove(_ place: Int, from entries: inout [Entry]) -> Entry? {
        guard place < entries.count, entries[place].byteCount > 0 else {
            return nil
        }
        defer { entries[place].byteCount = 0 }
        return entries[place]
    }
}

extension PayloadID {
    /// Its place among those of its kind.
    fileprivate var place: Int {
        Int(rawValue & ~(1 << 31))
    }
}
