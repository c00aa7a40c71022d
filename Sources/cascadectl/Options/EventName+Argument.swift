// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

extension EventName {
    /// For `transform` of an argument: a name that is none is wrong usage, and the error quotes it.
    static func argument(_ text: String) throws -> EventName {
        do throws(NameError) {
            return try EventName(text)
        } catch {
            throw ValidationError(error.description)
        }
    }
}
