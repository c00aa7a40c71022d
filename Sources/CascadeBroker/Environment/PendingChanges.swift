// SPDX-License-Identifier: Apache-2.0

/// What has changed in a transaction and has not been looked at yet: where which keys may read
/// otherwise, for the node at a place and all below.
struct PendingChanges: Sendable {
    enum Keys: Sendable {
        case these([KeyIndex])
        case all
    }

    private(set) var places: [NodeIndex: Keys] = [:]

    var isEmpty: Bool {
        places.isEmpty
    }

    mutating func note(_ keys: [KeyIndex], at place: NodeIndex) {
        switch places[place] {
        case nil where !keys.isEmpty: places[place] = .these(keys)
        case .these(let others)?: places[place] = .these(others + keys)
        case nil, .all?: break
        }
    }

    /// Everything may read otherwise.
    mutating func noteAll(at place: NodeIndex) {
        places[place] = .all
    }

    /// There is no such place any more.
    mutating func forget(_ place: NodeIndex) {
        places[place] = nil
    }

    mutating func take() -> [NodeIndex: Keys] {
        let taken = places
        places = [:]
        return taken
    }
}
