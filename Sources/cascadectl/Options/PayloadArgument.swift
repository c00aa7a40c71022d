// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// A payload as it stands among the arguments, read.
struct PayloadArgument {
    let bytes: [UInt8]

    /// - Parameters:
    ///   - text: JSON, `-` for standard input, or a file's name behind `@`; `nil` for no payload.
    ///   - contentType: what the bytes are, if they are no JSON.
    ///
    /// Throws ``Stop`` if it cannot be read, or is no JSON where it should be.
    init(_ text: String?, contentType: String? = nil) throws {
        bytes = try text.map(Self.read) ?? []
        guard text != nil, contentType == nil else {
            return
        }
        do throws(JSONError) {
            _ = try JSONValue(parsing: bytes[...])
        } catch {
            throw Stop(.badData, "the payload is no JSON: \(error)")
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
