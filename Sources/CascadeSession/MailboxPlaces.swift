// SPDX-License-Identifier: Apache-2.0

/// Which mailbox is which node's. What arrives is mostly for the node of the message before it.
struct MailboxPlaces: Sendable {
    private var places: [UInt32: Int] = [:]
    private var last: (node: UInt32, place: Int)?

    subscript(node: UInt32) -> Int? {
        mutating get {
            if let last, last.node == node {
                return last.place
            }
            guard let place = places[node] else {
                return nil
            }
            last = (node, place)
            return place
        }
    }

    mutating func insert(_ place: Int, of node: UInt32) {
        places[node] = place
        last = nil
    }

    mutating func remove(_ node: UInt32) -> Int? {
        last = nil
        return places.removeValue(forKey: node)
    }
}
