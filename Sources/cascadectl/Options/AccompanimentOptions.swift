// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// The content type, attributes and further data of a message.
struct AccompanimentOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take the payload as it is: bytes of this type.", valueName: "content-type"))
    var raw: String?

    @Option(
        name: .customLong("attribute"),
        help: ArgumentHelp(
            "A string that travels beside the payload. May be repeated.", valueName: "key=value"),
        transform: Attribute.argument)
    var attributes: [Attribute] = []

    @Option(
        name: .customLong("traceparent"),
        help: ArgumentHelp(
            "The trace and span that it is raised within, as the W3C writes them.",
            valueName: "traceparent"),
        transform: TraceParent.argument)
    var traceParent: TraceParent?

    @Option(
        help: ArgumentHelp(
            "How long it may take; the bus's default unless given.", valueName: "time"))
    var deadline: TimeSpan?
}

extension Attribute {
    /// Parses an argument, for use as `transform`.
    static func argument(_ text: String) throws -> Attribute {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw ValidationError("an attribute is written KEY=VALUE, not '\(text)'")
        }
        return Attribute(String(text[..<equals]), String(text[text.index(after: equals)...]))
    }
}
