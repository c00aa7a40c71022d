// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

extension EventID {
    /// For `transform` of an argument: an ID that is none is wrong usage, and the error quotes it.
    static func argument(_ text: String) throws -> EventID {
        guard let id = EventID(text) else {
            throw ValidationError("'\(text.escapedForDisplay())' is not the ID of an event")
        }
        return id
    }
}
