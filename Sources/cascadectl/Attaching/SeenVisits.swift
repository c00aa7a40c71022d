// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession
import DequeModule

/// The visits that a node has seen recently, which its messages may name as their cause.
struct SeenVisits {
    private var causes: [String: Cause] = [:]
    /// In the order in which they came.
    private var order: Deque<String> = []

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
        if order.count > Self.countMax {
            causes[order.removeFirst()] = nil
        }
    }

    /// Returns the visit as a cause; `nil` if the node has not seen it, or too long ago.
    subscript(id: String) -> Cause? {
        causes[id]
    }
}
