// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import DequeModule

/// A visit or a delivery that has not been accepted.
struct WaitingVisit: Sendable {
    var token: InvocationToken
    var arrivedAt: Duration
}

/// The visits or deliveries that wait for credit, or for the link, in their order.
struct WaitingVisits: Sendable {
    private var visits: Deque<WaitingVisit> = []

    var isEmpty: Bool {
        visits.isEmpty
    }

    var count: Int {
        visits.count
    }

    mutating func append(_ visit: WaitingVisit) {
        visits.append(visit)
    }

    mutating func popFirst() -> WaitingVisit? {
        visits.popFirst()
    }

    /// Removes a visit.
    ///
    /// - Returns: Whether it was there.
    mutating func remove(_ token: InvocationToken) -> Bool {
        guard let place = visits.firstIndex(where: { $0.token == token }) else {
            return false
        }
        visits.remove(at: place)
        return true
    }

    /// Lets no visit wait any longer, and returns those that did.
    mutating func release() -> [InvocationToken] {
        let tokens = visits.map(\.token)
        visits = []
        return tokens
    }
}
