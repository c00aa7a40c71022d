// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// All deliveries under way, each in one of its node's two lists.
struct DeliveryTable {
    private var records = Slab<Delivery>()
    var waitingEmits = WaitingEmits()

    var count: Int {
        records.count
    }

    subscript(delivery: DeliveryIndex) -> Delivery {
        _read { yield records[delivery] }
        _modify { yield &records[delivery] }
    }

    mutating func insert(
        _ subject: Delivery.Subject, node: NodeIndex, peer: PeerID, publicationID: UInt64 = 0
    ) -> DeliveryIndex {
        records.insert(Delivery()) { record in
            record = Delivery(subject, node: node, peer: peer, publicationID: publicationID)
        }
    }

    mutating func remove(_ delivery: DeliveryIndex) {
        records.remove(delivery)
    }

    /// What a visit quotes, and its verdict too: the delivery and its generation.
    func id(_ delivery: DeliveryIndex) -> UInt64 {
        delivery.id
    }

    /// The delivery that an ID names, unless it is over.
    func find(_ id: UInt64) -> DeliveryIndex? {
        records.index(ofID: id)
    }

    func contains(_ delivery: DeliveryIndex) -> Bool {
        records.contains(delivery)
    }

    /// The first delivery of a list; none if it is empty.
    func first(in list: DeliveryList) -> DeliveryIndex {
        records.index(at: list.first)
    }

    /// The deliveries of a list, in its order.
    func all(in list: DeliveryList) -> [DeliveryIndex] {
        var found: [DeliveryIndex] = []
        var delivery = records.index(at: list.first)
        while delivery != DeliveryIndex.none {
            found.append(delivery)
            delivery = records[delivery].next
        }
        return found
    }

    // MARK: - Lists

    mutating func append(_ delivery: DeliveryIndex, to list: inout DeliveryList) {
        let last = records.index(at: list.last)
        records[delivery].previous = last
        records[delivery].next = DeliveryIndex.none
        if last == DeliveryIndex.none {
            list.first = delivery.link
        } else {
            records[last].next = delivery
        }
        list.last = delivery.link
    }

    mutating func unlink(_ delivery: DeliveryIndex, from list: inout DeliveryList) {
        let next = records[delivery].next
        let previous = records[delivery].previous
        if previous == DeliveryIndex.none {
            list.first = next.link
        } else {
            records[previous].next = next
        }
        if next == DeliveryIndex.none {
            list.last = previous.link
        } else {
            records[next].previous = previous
        }
    }

    /// The first delivery of a list that meets a condition.
    func first(in list: DeliveryList, where condition: (Delivery) -> Bool) -> DeliveryIndex? {
        var delivery = records.index(at: list.first)
        while delivery != DeliveryIndex.none {
            if condition(records[delivery]) {
                return delivery
            }
            delivery = records[delivery].next
        }
        return nil
    }
}
