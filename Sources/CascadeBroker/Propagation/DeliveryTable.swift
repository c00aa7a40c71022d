// SPDX-License-Identifier: Apache-2.0

import BasicContainers
import CascadeWire

/// All deliveries under way, each in one of its node's two lists.
struct DeliveryTable: ~Copyable {
    /// The two lists of a node.
    struct Lists {
        /// Deliveries on their way to the node or in its hands, in the order in which they were
        /// sent.
        var outstanding = DeliveryList()
        /// Deliveries that wait until the node has room.
        var waiting = DeliveryList()
    }

    private var records = Slab<Delivery>()
    /// By the node's slot.
    private var lists = UniqueArray<Lists>()
    private(set) var waitingEmits = WaitingEmits()

    var count: Int {
        records.count
    }

    subscript(delivery: DeliveryIndex) -> Delivery {
        _read { yield records[delivery] }
    }

    /// The visit that a message of a node is about; `nil` if it is over. Throws if it was never this
    /// peer's.
    @inline(__always)
    func find(visit id: UInt64, of peer: PeerID) throws(WireError) -> DeliveryIndex? {
        // A publication's delivery is quoted by the publication's ID, not by its own.
        guard let found = records.index(ofID: id), records[found].publication == nil else {
            return nil
        }
        guard records[found].isSent(to: peer) else {
            throw Self.notYours(.visit(id))
        }
        return found
    }

    /// The publication's delivery that a message of a node is about. All recipients share the ID, so
    /// the node selects the delivery. An expired delivery is found too, even if the publication has
    /// ended, so that its place can be freed.
    ///
    /// - Parameter node: The node that the message names, if the peer holds it.
    func find(
        publication id: UInt64, of peer: PeerID, at node: NodeIndex?
    ) throws(WireError) -> DeliveryIndex? {
        guard let node, let found = firstOutstanding(at: node, where: { $0.publication?.id == id })
        else {
            return nil
        }
        guard records[found].isSent(to: peer) else {
            throw Self.notYours(.publication(id))
        }
        return found
    }

    @inline(never)
    private static func notYours(_ id: DeliveryID) -> WireError {
        WireError(.notYours, "the delivery \(id.wire) was never this session's")
    }

    func contains(_ delivery: DeliveryIndex) -> Bool {
        records.contains(delivery)
    }

    // MARK: - One delivery

    /// Makes a delivery, which is in none of its node's lists.
    @inline(__always)
    mutating func insert(
        _ subject: Delivery.Subject, node: NodeIndex, peer: PeerID
    ) -> DeliveryIndex {
        if lists.count <= node.slot {
            growLists(to: node.slot + 1)
        }
        return records.insert(Delivery()) { record in
            record = Delivery(subject, node: node, peer: peer)
        }
    }

    @inline(never)
    private mutating func growLists(to count: Int) {
        while lists.count < count {
            lists.append(Lists())
        }
    }

    /// Removes a delivery that is in none of its node's lists.
    mutating func remove(_ delivery: DeliveryIndex) {
        records.remove(delivery)
    }

    /// Lets the delivery wait until its node has room. Returns whether there was room to wait.
    ///
    /// - Parameters:
    ///   - emitter: The account that an unacknowledged message is charged to; `nil` for any other
    ///     message, for which there is always room.
    ///   - limit: Unacknowledged messages that wait for one node, of all accounts.
    mutating func enqueue(
        _ delivery: DeliveryIndex, emitter: AccountIndex?, limit: UInt32,
        _ accounts: borrowing AccountTable
    ) -> Bool {
        let node = records[delivery].node
        if let emitter {
            let own = waitingEmits.count(of: emitter, at: node)
            let all = waitingEmits.count(at: node)
            guard own < accounts.shareSize(of: emitter, having: own, of: all, limit: limit) else {
                return false
            }
            waitingEmits.add(1, of: emitter, at: node)
            records[delivery].emitter = emitter
        }
        lists[node.slot].waiting.append(delivery, &records)
        return true
    }

    /// The delivery has been taken out of its node's queue.
    mutating func dequeue(_ delivery: DeliveryIndex) {
        let waiting = records[delivery]
        lists[waiting.node.slot].waiting.remove(waiting, &records)
        releaseEmit(delivery)
    }

    private mutating func releaseEmit(_ delivery: DeliveryIndex) {
        if let emitter = records[delivery].emitter {
            waitingEmits.add(-1, of: emitter, at: records[delivery].node)
            records[delivery].emitter = nil
        }
    }

    /// The delivery, which waits no longer, is on its way. Returns its node.
    @inline(__always)
    mutating func markSent(
        _ delivery: DeliveryIndex, _ byteCount: UInt32, at now: Instant
    ) -> NodeIndex {
        let node = records[delivery].markSent(byteCount, at: now)
        lists[node.slot].outstanding.append(delivery, &records)
        return node
    }

    /// The node has begun with the delivery.
    mutating func begin(_ delivery: DeliveryIndex, at now: Instant) {
        records[delivery].begin(at: now)
    }

    /// The deadline of the delivery, which was sent, has passed.
    mutating func expire(_ delivery: DeliveryIndex) {
        records[delivery].expire()
    }

    /// Removes and returns a delivery that was sent and has been answered.
    @inline(__always)
    mutating func removeSent(_ delivery: DeliveryIndex) -> Delivery {
        let sent = records[delivery]
        lists[sent.node.slot].outstanding.remove(sent, &records)
        records.remove(delivery)
        return sent
    }

    /// Takes the deliveries that the node has begun with out of its list, in the order in which they
    /// were sent. They stay in the table.
    mutating func takeBegun(at node: NodeIndex) -> [DeliveryIndex] {
        let begun = outstanding(at: node).filter { records[$0].hasBegun }
        for delivery in begun {
            lists[node.slot].outstanding.remove(records[delivery], &records)
        }
        return begun
    }

    // MARK: - The deliveries of a node

    /// Takes all deliveries out of the node's lists and returns them: those that were sent, then
    /// those that wait, in the order in which they came.
    mutating func takeAll(at node: NodeIndex) -> [DeliveryIndex] {
        let waiting = waiting(at: node)
        let all = outstanding(at: node) + waiting
        for delivery in waiting {
            releaseEmit(delivery)
        }
        if node.slot < lists.count {
            lists[node.slot] = Lists()
        }
        return all
    }

    /// The deliveries that were sent to the node, in the order in which they were.
    func outstanding(at node: NodeIndex) -> [DeliveryIndex] {
        node.slot < lists.count ? lists[node.slot].outstanding.all(in: records) : []
    }

    /// The deliveries that wait for the node, in the order in which they came.
    func waiting(at node: NodeIndex) -> [DeliveryIndex] {
        node.slot < lists.count ? lists[node.slot].waiting.all(in: records) : []
    }

    /// The first delivery that was sent to the node and meets a condition.
    func firstOutstanding(
        at node: NodeIndex, where condition: (Delivery) -> Bool
    ) -> DeliveryIndex? {
        node.slot < lists.count
            ? lists[node.slot].outstanding.first(in: records, where: condition) : nil
    }

    /// The first delivery that waits for the node and meets a condition.
    func firstWaiting(
        at node: NodeIndex, where condition: (Delivery) -> Bool = { _ in true }
    ) -> DeliveryIndex? {
        node.slot < lists.count
            ? lists[node.slot].waiting.first(in: records, where: condition) : nil
    }
}

/// How many unacknowledged messages of each account wait for each node that has not room for all of
/// them.
struct WaitingEmits: Sendable {
    private struct Key: Hashable {
        let node: NodeIndex
        let account: AccountIndex
    }

    private var counts: [Key: Int] = [:]
    /// Of all accounts, by node.
    private var totals: [NodeIndex: Int] = [:]

    var isEmpty: Bool {
        counts.isEmpty
    }

    func count(of account: AccountIndex, at node: NodeIndex) -> Int {
        counts[Key(node: node, account: account)] ?? 0
    }

    func count(at node: NodeIndex) -> Int {
        totals[node] ?? 0
    }

    mutating func add(_ amount: Int, of account: AccountIndex, at node: NodeIndex) {
        let key = Key(node: node, account: account)
        let count = (counts[key] ?? 0) + amount
        counts[key] = count > 0 ? count : nil
        let total = (totals[node] ?? 0) + amount
        totals[node] = total > 0 ? total : nil
    }
}
