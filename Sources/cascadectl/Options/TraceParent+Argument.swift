// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

extension TraceParent {
    /// Parses an argument, for use as `transform`. The error quotes an invalid one.
    static func argument(_ text: String) throws -> TraceParent {
        guard let parent = TraceParent(text) else {
            throw ValidationError(
                "'\(text.escapedForDisplay())' is not a traceparent: 00-TRACE-SPAN-FLAGS in 32, 16 "
                    + "and 2 hexadecimal digits")
        }
        return parent
    }
}
