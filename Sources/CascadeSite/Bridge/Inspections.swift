// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// A request that looks at a site and waits for its answer.
struct Inspection: Sendable {
    var token: InvocationToken
    /// The bus on which the request was raised.
    var side: Bridge.Side
    /// The request number of the query in its payload.
    var request: UInt64
    /// The asked site, as the bus named it on which the request was raised.
    var place: NodePath
    var endsAt: Duration
    /// The request as it was raised again, and the path from which; `nil` if a bus was asked.
    var raised: (raising: Raising, options: RaiseOptions)?
}

/// The requests that look at sites and wait for their answers.
struct Inspections: Sendable {
    /// What a request waits for.
    enum Key: Hashable, Sendable {
        /// The answer to a query, by the number of the query.
        case query(Bridge.Side, UInt64)
        /// The outcome of the request that was raised again, by its number.
        case raised(Bridge.Side, UInt64)
    }

    private var waiting: [Key: Inspection] = [:]

    var isEmpty: Bool {
        waiting.isEmpty
    }

    /// The time at which the next request has waited for too long.
    var deadline: Duration? {
        waiting.values.map(\.endsAt).min()
    }

    mutating func insert(_ inspection: Inspection, waitingFor key: Key) {
        waiting[key] = inspection
    }

    /// Removes the request for which a query was sent, or a request was raised again.
    mutating func remove(waitingFor key: Key) -> Inspection? {
        waiting.removeValue(forKey: key)
    }

    /// Removes the request of a visit on one of the buses.
    mutating func remove(of token: InvocationToken, _ side: Bridge.Side) -> Inspection? {
        let found = waiting.first { $0.value.token == token && $0.value.side == side }
        return found.flatMap { waiting.removeValue(forKey: $0.key) }
    }

    /// Removes the requests that have waited for too long.
    mutating func removeLate(at now: Duration) -> [Inspection] {
        var late: [Inspection] = []
        for (key, inspection) in waiting where inspection.endsAt <= now {
            waiting[key] = nil
            late.append(inspection)
        }
        return late
    }
}
