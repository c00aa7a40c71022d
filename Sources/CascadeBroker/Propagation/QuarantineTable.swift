// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The events with which sessions ended, and those sessions.
///
/// It has a bound, in which each user has a share: the event with which a session ended longest ago
/// is forgotten first.
struct QuarantineTable: Sendable {
    private struct Victims: Sendable {
        var event: EventKey
        var sessions: [SessionID] = []
    }

    private var places: [EventKey: SharedRing<Victims>.Place] = [:]
    private var ring = SharedRing<Victims>()

    var isEmpty: Bool {
        places.isEmpty
    }

    var count: Int {
        places.count
    }

    /// Records that a session ended while it worked on the event. A session that resumes and ends
    /// once more counts once, for only its connection may have broken.
    ///
    /// - Parameter account: the account that raised the event.
    mutating func recordCrash(
        _ event: EventKey, _ session: SessionID, of account: AccountIndex, limit: UInt32,
        _ accounts: inout AccountTable
    ) {
        if let place = places[event] {
            if !ring[place].sessions.contains(session) {
                ring[place].sessions.append(session)
            }
            return
        }
        guard makeRoom(for: account, limit, &accounts) else {
            return
        }
        places[event] = ring.append(Victims(event: event, sessions: [session]), for: account)
        accounts.charge(1, .quarantined, to: account)
    }

    private mutating func makeRoom(
        for account: AccountIndex, _ limit: UInt32, _ accounts: inout AccountTable
    ) -> Bool {
        while true {
            switch accounts.room(for: 1, in: .quarantined, of: account, limit: limit) {
            case .free: return true
            case .none: return false
            case .evicting(let other):
                guard let place = ring.oldest(of: other) else {
                    return false
                }
                remove(place, &accounts)
            }
        }
    }

    /// Holds to a limit that was lowered.
    mutating func shrink(to limit: UInt32, _ accounts: inout AccountTable) {
        while let account = accounts.largest(in: .quarantined, above: limit),
            let place = ring.oldest(of: account)
        {
            remove(place, &accounts)
        }
    }

    private mutating func remove(
        _ place: SharedRing<Victims>.Place, _ accounts: inout AccountTable
    ) {
        places[ring[place].event] = nil
        accounts.release(1, .quarantined, from: ring.account(of: place))
        ring[place].sessions = []
        ring.remove(place)
    }

    /// The number of sessions that ended with the event.
    func count(_ event: EventKey) -> Int {
        places[event].map { ring[$0].sessions.count } ?? 0
    }
}
