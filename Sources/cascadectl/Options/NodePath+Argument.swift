// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

extension NodePath {
    /// For `transform` of an argument: a path that is none is wrong usage, and the error quotes it.
    static func argument(_ text: String) throws -> NodePath {
        do throws(NameError) {
            return try NodePath(text)
        } catch {
            throw ValidationError(error.description)
        }
    }
}
