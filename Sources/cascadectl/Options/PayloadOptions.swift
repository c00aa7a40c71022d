// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeSession

/// What is raised: a name, a payload, and what travels beside it.
struct PayloadOptions: ParsableArguments {
    @Argument(help: "The name.", completion: .raisedNames(), transform: EventName.argument)
    var name: EventName

    @Argument(
        help: """
            The payload, JSON; '-' reads it from standard input, @FILE from a file. What begins \
            with a dash goes behind '--'.
            """)
    var payload: String?

    @OptionGroup var accompaniment: AccompanimentOptions

    /// Reads the payload. Throws ``Stop`` if it cannot be read, or is no JSON where it should be.
    func raising() throws -> Raising {
        Raising(
            name: name, payload: try PayloadArgument(payload, contentType: accompaniment.raw).bytes,
            contentType: accompaniment.raw, attributes: accompaniment.attributes)
    }

    var deadline: TimeSpan? {
        accompaniment.deadline
    }

    var traceParent: TraceParent? {
        accompaniment.traceParent
    }
}
