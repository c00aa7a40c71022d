// SPDX-License-Identifier: Apache-2.0

import Testing

extension String {
    /// The event ID in a line of `cascadectl attach`.
    func eventID() throws -> String {
        let id = split(separator: "\"id\":\"").last?.split(separator: "\"").first
        return try String(#require(id))
    }
}
