// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
package import CascadeWire

/// The names of the sites from the root site down to one of them, as nodes of that one read them.
package enum SitePath {
    package static let key: EventName = "site.path"

    /// Returns the names in the answer to a query of the key; none if it has no value.
    package static func names(inAnswer message: [UInt8]) -> [String] {
        let document = try? DocumentAnswer(parsing: message).document
        let value = document.flatMap { try? JSONValue(parsing: $0) }?["value"]
        return value?.elements.compactMap(\.string) ?? []
    }
}
