// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// A payload argument.
struct PayloadArgument {
    let bytes: [UInt8]

    /// Reads the payload. Throws ``Stop`` if it cannot be read, or is not JSON although
    /// `contentType` is `nil`.
    ///
    /// - Parameters:
    ///   - text: JSON, `-` for standard input, or `@` and the name of a file; `nil` for no payload.
    ///   - contentType: The type of the bytes; `nil` for JSON.
    init(_ text: String?, contentType: String? = nil) throws {
        bytes = try text.map(Self.read) ?? []
        guard text != nil, contentType == nil else {
            return
        }
        do throws(JSONError) {
            _ = try JSONValue(parsing: bytes[...])
        } catch {
            throw Stop(.badData, "the payload is not JSON: \(error)")
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
