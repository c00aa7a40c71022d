// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The retained values, one for each publisher's path and name, and their messages, which stay
/// while deliveries of them are under way.
struct RetainedTable: ~Copyable {
    /// The values of each name, in the order in which they were published.
    private var values: [EventName: [RetainedValue]] = [:]
    private(set) var count = 0
    private var messages = Slab<RetainedMessage>()

    var isEmpty: Bool {
        count == 0
    }

    /// The publishers of the retained values, with the names.
    var keys: [(path: NodePath, name: EventName)] {
        values.values.flatMap { $0.map { ($0.path, $0.name) } }
    }

    func value(of name: EventName, of path: NodePath) -> RetainedValue? {
        values[name]?.first { $0.path == path }
    }

    /// Takes a value in place of the one before, which is returned.
    mutating func insert(_ value: RetainedValue) -> RetainedValue? {
        let replaced = remove(value.name, of: value.path)
        values[value.name, default: []].append(value)
        count += 1
        return replaced
    }

    mutating func remove(_ name: EventName, of path: NodePath) -> RetainedValue? {
        guard let place = values[name]?.firstIndex(where: { $0.path == path }) else {
            return nil
        }
        count -= 1
        let removed = values[name]?.remove(at: place)
        if values[name]?.isEmpty == true {
            values[name] = nil
        }
        return removed
    }

    // MARK: - Subscribers

    /// Records that these subscribers have the value of this message.
    mutating func serve(_ name: EventName, _ message: RetainedMessageIndex, to nodes: [NodeIndex]) {
        if let place = values[name]?.firstIndex(where: { $0.message == message }) {
            values[name]?[place].served.formUnion(nodes)
        }
    }

    /// Returns the values of `name` that a subscriber at `path` still has to receive, from
    /// publishers at or above it, and marks them as served.
    mutating func take(_ name: EventName, for node: NodeIndex, at path: NodePath) -> [RetainedValue]
    {
        var taken: [RetainedValue] = []
        for place in values[name]?.indices ?? 0..<0 {
            guard let value = values[name]?[place], value.path.contains(path),
                values[name]?[place].served.insert(node).inserted == true
            else {
                continue
            }
            taken.append(value)
        }
        return taken
    }

    /// The node no longer subscribes: should it do so again, it comes anew.
    mutating func forget(_ node: NodeIndex, _ name: EventName) {
        for place in values[name]?.indices ?? 0..<0 {
            values[name]?[place].served.remove(node)
        }
    }

    // MARK: - Messages

    /// Keeps a message for the value that is made of it.
    mutating func keep(_ payload: Payload) -> RetainedMessageIndex {
        messages.insert(RetainedMessage(payload)) { $0 = RetainedMessage(payload) }
    }

    /// One more needs the message.
    mutating func use(_ message: RetainedMessageIndex) {
        messages[message].references += 1
    }

    /// One less needs the message. Returns its payload if it was the last.
    mutating func letGo(_ message: RetainedMessageIndex) -> Payload? {
        messages[message].references -= 1
        guard messages[message].references == 0 else {
            return nil
        }
        defer {
            messages[message].payload = .empty
            messages.remove(message)
        }
        return messages[message].payload
    }

    func payload(of message: RetainedMessageIndex) -> Payload {
        messages[message].payload
    }

    /// Messages that are kept for publications under way only.
    var replacedCount: Int {
        messages.count - count
    }
}

typealias RetainedMessageIndex = Slab<RetainedMessage>.Index

/// The message of a publication that is retained.
struct RetainedMessage: Sendable {
    var payload: Payload
    /// The value itself, as long as it stands, and each publication of it under way.
    var references: Int

    init(_ payload: Payload) {
        self.payload = payload
        references = 1
    }
}

/// The latest publication of a publisher under a name, for later subscribers.
struct RetainedValue: Sendable {
    /// The path that published the value, whichever session holds it now.
    let path: NodePath
    /// The origin on another bus, if the publisher has raised it for that bus.
    let origin: NodePath?
    let name: EventName
    /// The number of its ``RetainedMessage``.
    let message: RetainedMessageIndex
    let byteCount: UInt32
    /// The number of the session that published it, pinned.
    let session: SessionIndex
    /// The account that it is charged to.
    let account: AccountIndex
    let sequence: UInt64
    let causes: UInt16
    /// The subscribers that do not need it: they were present when it was published, or have
    /// received it.
    var served: Set<NodeIndex> = []
}
