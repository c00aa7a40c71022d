// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeSession

/// What is raised: a name, a payload, and what travels beside it.
struct PayloadOptions: ParsableArguments {
    @Argument(help: "The event's name.", transform: EventName.argument)
    var name: EventName

    @Argument(
        help: """
            The payload, JSON; '-' reads it from standard input, @FILE from a file. What begins \
            with a dash goes behind '--'.
            """)
    var payload: String?

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
        help: ArgumentHelp(
            "How long it may take; the bus's default unless given.", valueName: "time"))
    var deadline: TimeSpan?

    /// Reads the payload. Throws ``Stop`` if it cannot be read, or is no JSON where it should be.
    func raising() throws -> Raising {
        Raising(name: name, payload: try bytes(), contentType: raw, attributes: attributes)
    }

    private func bytes() throws -> [UInt8] {
        guard let payload else {
            return []
        }
        let bytes: [UInt8]
        if payload == "-" {
            bytes = try InputFile.standardInput.read()
        } else if payload.hasPrefix("@") {
            bytes = try InputFile(path: String(payload.dropFirst())).read()
        } else {
            bytes = Array(payload.utf8)
        }
        if raw == nil {
            do throws(JSONError) {
                _ = try JSONParser.parse(bytes[...])
            } catch {
                throw Stop(.badData, "the payload is no JSON: \(error)")
            }
        }
        return bytes
    }
}

extension Attribute {
    fileprivate static func argument(_ text: String) throws -> Attribute {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw ValidationError("an attribute is written KEY=VALUE, not '\(text)'")
        }
        return Attribute(String(text[..<equals]), String(text[text.index(after: equals)...]))
    }
}
