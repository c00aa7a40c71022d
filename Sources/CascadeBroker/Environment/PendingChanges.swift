// SPDX-License-Identifier: Apache-2.0

/// Changes of a transaction that have not been evaluated: the keys that may read differently at a
/// place and its descendants.
struct PendingChanges: Sendable {
    enum Keys: Sendable {
        case these([KeyIndex])
        case all
    }

    private(set) var places: [NodeIndex: Keys] = [:]

    var isEmpty: Bool {
        places.isEmpty
    }

    mutating func markChanged(_ keys: [KeyIndex], at place: NodeIndex) {
        switch places[place] {
        case nil where !keys.isEmpty: places[place] = .these(keys)
        case .these(let others)?: places[place] = .these(others + keys)
        case nil, .all?: break
        }
    }

    /// Everything may read otherwise.
    mutating func markAllChanged(at place: NodeIndex) {
        places[place] = .all
    }

    /// Forgets a place that has been removed.
    mutating func forget(_ place: NodeIndex) {
        places[place] = nil
    }

    mutating func take() -> [NodeIndex: Keys] {
        let taken = places
        places = [:]
        return taken
    }
}

/// The steps of one slice of settling. Later slices do the rest, so that one change that thousands
/// of nodes depend on does not delay other work.
struct SettlingBudget {
    /// Steps of one slice: some three milliseconds. A step is one key looked for at one place, one
    /// rule, one watch compared or some values reduced.
    private static let stepsPerSlice = 1 << 15
    /// Bytes of notices that count as one step: about as many as a session reads in the pause
    /// between slices, and far fewer than it may leave unread.
    private static let bytesPerStep = 32

    /// For one node that cannot wait.
    static let unbounded = SettlingBudget(steps: .max)

    private var steps: Int

    init() {
        self.init(steps: Self.stepsPerSlice)
    }

    private init(steps: Int) {
        self.steps = steps
    }

    var isExhausted: Bool {
        steps <= 0
    }

    mutating func spend(_ count: Int) {
        steps -= count
    }

    mutating func spendBytes(_ count: Int) {
        steps -= count / Self.bytesPerStep
    }
}
