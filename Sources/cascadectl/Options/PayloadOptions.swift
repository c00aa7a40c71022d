// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeSession

/// The options of a message: name, payload, and further data.
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

    /// Returns the message. Throws ``Stop`` if the payload cannot be read or is invalid.
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
