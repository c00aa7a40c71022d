// SPDX-License-Identifier: Apache-2.0

import Testing

/// The ID of the event that a line of `cascadectl attach` is about.
func eventID(in line: String) throws -> String {
    let id = line.split(separator: "\"id\":\"").last?.split(separator: "\"").first
    return try String(#require(id))
}
