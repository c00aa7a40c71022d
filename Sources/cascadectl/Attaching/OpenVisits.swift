// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession

/// The visits that wait for an answer of the program.
struct OpenVisits {
    private var assignments: [Assignment] = []
    /// The IDs of recently cancelled visits, whose verdicts may still arrive.
    private var cancelled: [String] = []

    private static let cancelledCountMax = 256

    var isEmpty: Bool {
        assignments.isEmpty
    }

    mutating func append(_ assignment: Assignment) {
        assignments.append(assignment)
    }

    /// Removes the oldest visit with this ID: an event may visit several responders of one node.
    mutating func take(_ id: String) -> Assignment? {
        let place = assignments.firstIndex { $0.visit.id.description == id }
        return place.map { assignments.remove(at: $0) }
    }

    mutating func takeAll() -> [Assignment] {
        defer { assignments = [] }
        return assignments
    }

    /// Removes a cancelled visit.
    mutating func cancel(_ token: InvocationToken) -> Assignment? {
        guard let place = assignments.firstIndex(where: { $0.invocation.token == token }) else {
            return nil
        }
        let assignment = assignments.remove(at: place)
        cancelled = cancelled.suffix(Self.cancelledCountMax - 1) + [assignment.visit.id.description]
        return assignment
    }

    /// Returns whether the ID is that of a recently cancelled visit, whose verdict is merely late.
    mutating func forgives(_ id: String) -> Bool {
        guard let place = cancelled.firstIndex(of: id) else {
            return false
        }
        cancelled.remove(at: place)
        return true
    }
}
