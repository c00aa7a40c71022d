// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The examples of Protocol.md: blocks of hexadecimal bytes, each with its name in the first line.
/// Text after a `#` is a comment.
struct ProtocolDocument {
    let text: String
    let examples: [String: [UInt8]]

    /// Read once for all suites.
    private static let loaded = Result { try ProtocolDocument(contentsOf: location()) }

    static func current() throws -> ProtocolDocument {
        try loaded.get()
    }

    private init(contentsOf location: String) throws {
        text = String(decoding: try Data(contentsOf: URL(filePath: location)), as: UTF8.self)
        var examples: [String: [UInt8]] = [:]
        for block in Self.blocks(in: text) {
            let name = block[0].dropFirst(2)
            guard block[0].hasPrefix("# "), examples[String(name)] == nil else {
                throw Unreadable(line: String(block[0]))
            }
            examples[String(name)] = try block.flatMap(Self.bytes(of:))
        }
        self.examples = examples
    }

    /// This file is `Tests/CascadeWireTests/Golden/ProtocolDocument.swift`: the root is four up.
    private static func location(of file: String = #filePath) -> String {
        "/" + file.split(separator: "/").dropLast(4).joined(separator: "/")
            + "/Sources/CascadeWire/CascadeWire.docc/Protocol.md"
    }

    private static func blocks(in text: String) -> [[Substring]] {
        var blocks: [[Substring]] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "```hex" {
                blocks.append([])
                isInside = true
            } else if line == "```" {
                isInside = false
            } else if isInside {
                blocks[blocks.count - 1].append(line)
            }
        }
        return blocks
    }

    private static func bytes(of line: Substring) throws -> [UInt8] {
        try line.prefix { $0 != "#" }.split(separator: " ").map { digits in
            guard digits.utf8.count == 2, let byte = UInt8(digits, radix: 16) else {
                throw Unreadable(line: String(line))
            }
            return byte
        }
    }

    private struct Unreadable: Error {
        let line: String
    }
}
