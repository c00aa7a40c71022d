// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeSession

/// The options of a message: name, payload, and further data.
struct PayloadOptions: ParsableArguments {
    @Argument(
        help: "Name of the message.", completion: .raisedNames(), transform: EventName.argument)
    var name: EventName

    @Argument(
        help: """
            Payload as JSON; '-' reads it from standard input, @FILE from a file. Write a payload \
            that begins with a dash after '--'.
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
