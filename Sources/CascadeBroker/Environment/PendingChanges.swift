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

/// The steps that one slice of settling may take. What is left is done in later slices, so that one
/// change that thousands of nodes depend on does not hold up all others.
struct SettlingBudget {
    /// Steps of one slice: some three milliseconds. A step is one key looked for at one place, one
    /// rule, one watch compared or some values reduced.
    private static let stepsPerSlice = 1 << 15
    /// Bytes told that count as a step: so much as a session reads in the pause between slices, and
    /// far less than it may leave unread.
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
