// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession

/// Visits that wait for the program behind the node to answer.
struct OpenVisits {
    private var assignments: [Assignment] = []

    var isEmpty: Bool {
        assignments.isEmpty
    }

    mutating func append(_ assignment: Assignment) {
        assignments.append(assignment)
    }

    /// The oldest visit with this ID: an event may visit several responders of one node.
    mutating func take(_ id: String) -> Assignment? {
        let place = assignments.firstIndex { $0.visit.id.description == id }
        return place.map { assignments.remove(at: $0) }
    }

    mutating func takeAll() -> [Assignment] {
        defer { assignments = [] }
        return assignments
    }
}
