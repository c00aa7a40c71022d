// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// The content type, attributes and further data of a message.
struct AccompanimentOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Content type of a payload that is not JSON.", valueName: "content-type"))
    var raw: String?

    @Option(
        name: .customLong("attribute"),
        help: ArgumentHelp(
            "String that travels beside the payload; may be repeated.", valueName: "key=value"),
        transform: Attribute.argument)
    var attributes: [Attribute] = []

    @Option(
        name: .customLong("traceparent"),
        help: ArgumentHelp(
            "Trace and span of the message, as a W3C traceparent.",
            valueName: "traceparent"),
        transform: TraceParent.argument)
    var traceParent: TraceParent?

    @Option(
        help: ArgumentHelp(
            "Time that each responder or recipient has; otherwise the bus's default.",
            valueName: "time"))
    var deadline: TimeSpan?
}

extension Attribute {
    /// Parses an argument, for use as `transform`.
    static func argument(_ text: String) throws -> Attribute {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw ValidationError("'\(text)' is not an attribute of the form KEY=VALUE")
        }
        return Attribute(String(text[..<equals]), String(text[text.index(after: equals)...]))
    }
}
