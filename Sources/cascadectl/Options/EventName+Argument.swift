// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

extension EventName {
    /// Parses an argument, for use as `transform`. An invalid name is a usage error that quotes it.
    static func argument(_ text: String) throws -> EventName {
        do throws(NameError) {
            return try EventName(text)
        } catch {
            throw ValidationError(error.description)
        }
    }
}
