// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON
import CascadeSession

/// The options of a message: its name, payload and metadata.
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

    @OptionGroup var metadata: MetadataOptions

    /// Returns the message. Throws ``Stop`` if the payload cannot be read or is invalid.
    func raising() throws -> Raising {
        Raising(
            name: name, payload: try PayloadArgument(payload, contentType: metadata.raw).bytes,
            contentType: metadata.raw, attributes: metadata.attributes)
    }

    var deadline: TimeSpan? {
        metadata.deadline
    }

    var traceParent: TraceParent? {
        metadata.traceParent
    }
}

/// The metadata of a message: content type, attributes, trace context and deadline.
struct MetadataOptions: ParsableArguments {
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
            "Time that each responder or recipient has, as in 5s; otherwise the bus's default.",
            valueName: "time"),
        transform: TimeSpan.argument)
    var deadline: TimeSpan?

    /// Whether no option is given.
    var isEmpty: Bool {
        raw == nil && attributes.isEmpty && traceParent == nil && deadline == nil
    }
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

/// The bytes of a payload argument.
struct PayloadArgument {
    let bytes: [UInt8]

    /// Reads the payload. Throws ``Stop`` if it cannot be read, or is not JSON although
    /// `contentType` is `nil`.
    ///
    /// - Parameters:
    ///   - text: JSON, `-` for standard input, or `@` and the name of a file; `nil` for no payload.
    ///   - contentType: The type of the bytes; `nil` for JSON.
    ///   - isSent: Whether the command sends the payload, and so may send bytes of another type.
    init(_ text: String?, contentType: String? = nil, isSent: Bool = true) throws {
        bytes = try text.map(Self.read) ?? []
        guard text != nil, contentType == nil else {
            return
        }
        do throws(JSONError) {
            _ = try JSONValue(parsing: bytes[...])
        } catch {
            let problem = bytes.isEmpty ? "it is empty" : "\(error)"
            throw Stop(
                .badData,
                "the payload\(Self.place(text ?? "")) is not JSON: \(problem)\(Self.hint(text ?? "", isSent))"
            )
        }
    }

    private static func place(_ text: String) -> String {
        switch text {
        case "-": " in standard input"
        case _ where text.hasPrefix("@"): " in \(text.dropFirst())"
        default: ""
        }
    }

    /// Returns how to write what the text seems to be; empty if it seems to be JSON.
    private static func hint(_ text: String, _ isSent: Bool) -> String {
        switch text.first {
        case "-" where text.count == 1, "@":
            isSent ? "; --raw CONTENT-TYPE sends bytes that are not JSON" : ""
        case "/": "; write a path behind --from or --at, and a string as '\"…\"'"
        case let first? where first.isLetter: "; write a string as '\"…\"'"
        default: ""
        }
    }

    private static func read(_ text: String) throws -> [UInt8] {
        if text == "-" {
            return try InputFile.standardInput.read()
        }
        if text.hasPrefix("@") {
            return try InputFile(path: String(text.dropFirst())).read()
        }
        return Array(text.utf8)
    }
}
