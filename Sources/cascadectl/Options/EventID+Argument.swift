// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

extension EventID {
    /// Parses an argument, for use as `transform`. An invalid ID is a usage error that quotes it.
    static func argument(_ text: String) throws -> EventID {
        guard let id = EventID(text) else {
            throw ValidationError("'\(text.escapedForDisplay())' is not the ID of an event")
        }
        return id
    }
}
