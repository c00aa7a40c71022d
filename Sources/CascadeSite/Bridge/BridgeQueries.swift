// SPDX-License-Identifier: Apache-2.0

/// A query that stays the same from one connection to the next: the session sends it again.
struct AskedQuery: Sendable {
    /// The number of its request; `nil` before it is asked.
    var request: UInt64?
    /// Whether the bus has answered it, or refused to.
    var isAnswered = false
}

/// The queries of the bridge on the site's own bus.
struct HomeQueries: Sendable {
    /// The values that an earlier bridge has left at `/`.
    var formerValues = AskedQuery()
    /// The names that are subscribed to below. It repeats.
    var subscribers = AskedQuery()
    /// The preferences below. It repeats.
    var preferences = AskedQuery()

    /// Whether the bridge knows all that it can know of what is below.
    var tellWhatIsBelow: Bool {
        subscribers.isAnswered && preferences.isAnswered
    }

    /// The site's own bus does not tell the bridge what is below.
    ///
    /// - Returns: Whether the request was for that.
    mutating func refused(_ request: UInt64) -> Bool {
        switch request {
        case subscribers.request: subscribers.isAnswered = true
        case preferences.request: preferences.isAnswered = true
        default: return false
        }
        return true
    }
}

/// The queries of the bridge on the parent's bus.
struct AboveQueries: Sendable {
    /// The names to which nodes above the mount respond. It repeats.
    var names = AskedQuery()
    /// The values at the mount. It repeats.
    var values = AskedQuery()
    /// The number of the query for the names of the sites above; `nil` unless the link could not carry the
    /// values.
    var sitePath: UInt64?

    /// Whether the bridge knows what is above since the link opened.
    var areAnswered: Bool {
        names.isAnswered && values.isAnswered
    }

    /// Waits for what the parent's bus answers on another link.
    mutating func linkOpened() {
        names.isAnswered = false
        values.isAnswered = false
    }
}
