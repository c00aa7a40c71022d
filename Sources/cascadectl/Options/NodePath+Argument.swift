// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

extension NodePath {
    /// Parses an argument, for use as `transform`. An invalid path is a usage error that quotes it.
    static func argument(_ text: String) throws -> NodePath {
        do throws(NameError) {
            return try NodePath(text)
        } catch {
            throw ValidationError(error.description)
        }
    }
}
