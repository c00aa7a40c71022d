// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// The deliveries to the mount that have not ended.
struct Deliveries: Sendable {
    /// Those that wait for credit at home.
    var waiting = WaitingVisits()
    /// Those that are published at home, by the numbers of the publications.
    private var published: [UInt64: InvocationToken] = [:]

    mutating func insert(_ token: InvocationToken, ticket: UInt64) {
        published[ticket] = token
    }

    /// Removes a delivery whose publication has ended, by the number of the publication.
    mutating func remove(ticket: UInt64) -> InvocationToken? {
        published.removeValue(forKey: ticket)
    }
}
