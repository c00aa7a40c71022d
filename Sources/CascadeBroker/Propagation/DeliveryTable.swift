// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// All deliveries under way, each in one of its node's two lists.
struct DeliveryTable {
    private var records = Slab<Delivery>()

    var count: Int {
        records.count
    }

    subscript(delivery: UInt32) -> Delivery {
        _read { yield records[delivery] }
        _modify { yield &records[delivery] }
    }

    mutating func insert(_ subject: Delivery.Subject, node: UInt32, peer: PeerID) -> UInt32 {
        records.insert(Delivery()) { record in
            record = Delivery(subject: subject, node: node, peer: peer)
        }
    }

    mutating func remove(_ delivery: UInt32) {
        records.remove(delivery)
    }

    /// What a visit quotes, and its verdict too: the delivery and its generation.
    func id(_ delivery: UInt32) -> UInt64 {
        UInt64(records.generation(delivery)) << 32 | UInt64(delivery)
    }

    /// The delivery that an ID names, unless it is over.
    func find(_ id: UInt64) -> UInt32? {
        let delivery = UInt32(truncatingIfNeeded: id)
        return records.contains(delivery, generation: UInt32(truncatingIfNeeded: id >> 32))
            ? delivery : nil
    }

    /// The deliveries of a list, in its order.
    func all(in list: DeliveryList) -> [UInt32] {
        var found: [UInt32] = []
        var delivery = list.first
        while delivery != Header.noNode {
            found.append(delivery)
            delivery = records[delivery].next
        }
        return found
    }

    // MARK: - Lists

    mutating func append(_ delivery: UInt32, to list: inout DeliveryList) {
        records[delivery].previous = list.last
        records[delivery].next = Header.noNode
        if list.last == Header.noNode {
            list.first = delivery
        } else {
            records[list.last].next = delivery
        }
        list.last = delivery
    }

    mutating func unlink(_ delivery: UInt32, from list: inout DeliveryList) {
        let next = records[delivery].next
        let previous = records[delivery].previous
        if previous == Header.noNode {
            list.first = next
        } else {
            records[previous].next = next
        }
        if next == Header.noNode {
            list.last = previous
        } else {
            records[next].previous = previous
        }
    }

    /// The first delivery of a list that meets a condition.
    func first(in list: DeliveryList, where condition: (Delivery) -> Bool) -> UInt32? {
        var delivery = list.first
        while delivery != Header.noNode {
            if condition(records[delivery]) {
                return delivery
            }
            delivery = records[delivery].next
        }
        return nil
    }
}
