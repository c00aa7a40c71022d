// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// JSON printed by a command, accessed by member and index.
struct JSONText: Equatable, CustomStringConvertible {
    private let value: NSObject?

    init(_ text: some StringProtocol) throws {
        let parsed = try JSONSerialization.jsonObject(
            with: Data(text.utf8), options: .fragmentsAllowed)
        value = parsed as? NSObject
    }

    private init(_ value: Any?) {
        self.value = value as? NSObject
    }

    subscript(member: String) -> JSONText {
        JSONText((value as? [String: Any])?[member])
    }

    subscript(index: Int) -> JSONText {
        let elements = value as? [Any] ?? []
        return JSONText(elements.indices.contains(index) ? elements[index] : nil)
    }

    var string: String? { value as? String }
    var integer: Int? { value as? Int }
    var bool: Bool? { value as? Bool }
    var strings: [String]? { value as? [String] }
    var elements: [JSONText] { (value as? [Any] ?? []).map { JSONText($0) } }
    var members: Set<String> { Set((value as? [String: Any] ?? [:]).keys) }
    var isMissing: Bool { value == nil }

    var description: String { value.map { "\($0)" } ?? "nothing" }
}

extension SpawnedProgram.Ending {
    /// The only document that the command has printed.
    func document() throws -> JSONText {
        try #require(exitCode != nil, "a signal ended the command")
        try #require(!output.bytes.isEmpty, "no document: \(diagnostics.text)")
        return try JSONText(output.text)
    }
}

extension OutputPipe {
    /// Waits for the next line of a lane.
    func line(ofLane lane: String) throws -> JSONText {
        let line = try line(containing: "\"lane\":\"\(lane)\"")
        return try JSONText(try #require(line, "no line of the lane '\(lane)' in: \(text)"))
    }
}
