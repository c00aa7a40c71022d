// SPDX-License-Identifier: Apache-2.0

import Testing

extension String {
    /// The ID of the event that a line of `cascadectl attach` is about.
    func eventID() throws -> String {
        let id = split(separator: "\"id\":\"").last?.split(separator: "\"").first
        return try String(#require(id))
    }
}
