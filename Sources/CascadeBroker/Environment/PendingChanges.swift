// SPDX-License-Identifier: Apache-2.0

/// What has changed in a transaction and has not been looked at yet: where which keys may read
/// otherwise, for the node at a place and all below.
struct PendingChanges: Sendable {
    enum Keys: Sendable {
        case these([UInt32])
        case all
    }

    private(set) var places: [UInt32: Keys] = [:]

    var isEmpty: Bool {
        places.isEmpty
    }

    mutating func note(_ keys: [UInt32], at place: UInt32) {
        switch places[place] {
        case nil where !keys.isEmpty: places[place] = .these(keys)
        case .these(let others)?: places[place] = .these(others + keys)
        case nil, .all?: break
        }
    }

    /// Everything may read otherwise.
    mutating func noteAll(at place: UInt32) {
        places[place] = .all
    }

    /// There is no such place any more.
    mutating func forget(_ place: UInt32) {
        places[place] = nil
    }

    mutating func take() -> [UInt32: Keys] {
        let taken = places
        places = [:]
        return taken
    }
}
