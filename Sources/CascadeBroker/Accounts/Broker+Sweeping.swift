// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// When a table is swept for numbers that are no longer used.
struct SweepSchedule: Sendable {
    /// Milliseconds between two sweeps for each thousand records examined. A user who requests more
    /// numbers than there is room for costs the broker a few hundredths of its time.
    private static let restMillisecondsPerThousand = 20

    /// How many records were looked at the last time.
    private var cost = 0
    private var earliest = Instant(nanoseconds: 0)

    /// - Parameters:
    ///   - newCount: the number of entries made since the last sweep. Each pays for a few records.
    ///   - isFull: whether the table has no room otherwise.
    func isDue(newCount: Int, isFull: Bool, at now: Instant) -> Bool {
        newCount >= max(64, cost / 16) || (isFull && now >= earliest)
    }

    /// - Parameter cost: how many records were looked at.
    mutating func recordSweep(of cost: Int, at now: Instant) {
        self.cost = cost
        let rest = Self.restMillisecondsPerThousand * (1 + cost / 1_000)
        earliest = now.advanced(byMilliseconds: UInt32(clamping: rest))
    }
}

/// Names and keys without use: their numbers become free for others.
extension Broker {
    // MARK: - Names

    /// Throws if the account may not declare all of these names.
    mutating func checkNames(
        _ declared: some Sequence<EventName>, for account: AccountIndex
    ) throws(WireError) {
        let declared = Set(declared)
        func wanted() -> Int {
            declared.count { names.isChargeable($0, to: account) }
        }
        let isFull = !share(of: account, in: .names).hasRoom(for: wanted())
        if names.isSweepDue(isFull: isFull, at: now) {
            sweepNames()
        }
        try share(of: account, in: .names).check(wanted())
    }

    /// The session declares these names: they have numbers as long as its connection lasts.
    mutating func declareNames(_ declared: some Sequence<EventName>, by peer: PeerID) {
        let account = peers[peer].account
        for name in declared {
            let number = names.number(of: name, for: account, &accounts)
            if peers[peer].numbers.declare(number) {
                names.declare(number, by: account, &accounts)
            }
        }
    }

    /// The connection is gone, and with it all that it knew.
    mutating func forgetNames(of peer: PeerID) {
        let account = peers[peer].account
        for name in peers[peer].numbers.declaredNames.elements() {
            names.withdraw(name, by: account, &accounts)
        }
        for name in peers[peer].numbers.names.elements() {
            names.markForgotten(name)
        }
    }

    private mutating func sweepNames() {
        names.recordSweep(
            of: names.end + traffic.events.count + traffic.publications.count
                + observers.traces.count,
            at: now)
        var used = SlotSet<NameIndex>()
        for event in traffic.events.indices {
            used.insert(traffic.events[event].message.name)
            used.insert(traffic.events[event].firstName)
            used.insert(traffic.events[event].checked.name)
            for visit in traffic.events[event].trail.visits {
                used.insert(visit.name)
            }
        }
        for publication in traffic.publications.indices {
            used.insert(traffic.publications[publication].message.name)
        }
        observers.traces.insertNames(into: &used)
        for node in safety.nodes {
            for name in safety[node]?.warned ?? [] {
                used.insert(name.name)
            }
        }
        names.sweep(keeping: used, &accounts)
        // A result cached for a number must not be used for the number's next owner.
        hierarchy.advanceVersion()
    }

    // MARK: - Keys

    /// The message that is handled now may number keys for this account, which assigns these.
    mutating func beginKeys(for account: AccountIndex, _ assignments: [Assignments]) {
        beginKeys(for: account, wanted: environment.countOfNewKeys(in: assignments))
    }

    /// - Parameter wanted: how many keys may have to be numbered.
    mutating func beginKeys(for account: AccountIndex, wanted: Int) {
        environment.chargeKeys(to: &accounts)
        let isFull = !share(of: account, in: .keys).hasRoom(for: wanted)
        environment.sweepKeysIfDue(isFull: isFull, at: now, in: hierarchy, &accounts)
        environment.beginKeys(for: account, share(of: account, in: .keys))
    }
}

/// The keys in use, and their users.
struct KeyUses: Sendable {
    /// For each key, the accounts that use it.
    private(set) var accounts: [KeyIndex: Set<AccountIndex>] = [:]
    /// How many uses were counted.
    private(set) var count = 0

    mutating func count(_ key: KeyIndex, by account: AccountIndex) {
        count += 1
        accounts[key, default: []].insert(account)
    }
}
