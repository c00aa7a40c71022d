// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession

/// The visits that a node has seen recently, which its messages may name as their cause.
struct SeenVisits {
    private var causes: [String: Cause] = [:]
    /// The IDs in the order of their arrival.
    private var order: [String] = []

    /// The number of visits that are kept: a program names its current or a recent visit.
    private static let countMax = 1024

    mutating func append(_ visit: Visit) {
        let id = visit.id.description
        let cause = Cause(
            id: visit.id, depth: visit.causes, traceParent: visit.traceParent)
        guard causes.updateValue(cause, forKey: id) == nil else {
            return
        }
        order.append(id)
        // Removes half of the IDs at once, to avoid moving the others for each visit.
        if order.count > Self.countMax * 2 {
            for id in order.prefix(Self.countMax) {
                causes[id] = nil
            }
            order.removeFirst(Self.countMax)
        }
    }

    /// Returns the visit as a cause; `nil` if the node has not seen it, or too long ago.
    subscript(id: String) -> Cause? {
        causes[id]
    }
}
