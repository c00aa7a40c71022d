// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The names that are subscribed to below, of those that the site lets down.
struct SubscribedNames: Sendable {
    /// The subscriptions of the mount for these names.
    private(set) var standIns: [StandIn] = []
    /// Whether more names are subscribed to than the site's bus tells.
    private(set) var areTruncated = false

    init() {}

    /// Reads the names from a summary of the site's bus. Throws `JSONError` if it is not one.
    init(summary document: String, carried: CarriedNames) throws(JSONError) {
        let summary = try JSONValue(parsing: document)
        areTruncated = summary["more"]?.bool ?? false
        standIns = (summary["below"]?.elements ?? []).compactMap { entry in
            guard let name = entry["name"]?.string.flatMap({ try? EventName($0) }),
                carried.contains(name)
            else {
                return nil
            }
            return StandIn(
                name, levels: entry["level"]?.integer() ?? 0, turn: entry["turn"]?.integer() ?? 0)
        }
    }
}
