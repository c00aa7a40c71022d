// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// Checks that an accepted name, path, ID or duration is written as an equal one, and that displayed text
/// contains no control characters.
enum NameFuzzing {
    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        runPath(text)
        runName(text)
        if let id = EventID(text) {
            precondition(id.description == text)
        }
        if let session = SessionID(text) {
            precondition(session.description == text)
        }
        if let span = TimeSpan(text) {
            precondition(
                TimeSpan(span.description) == span, "'\(span)' is written as another duration")
        }
        precondition(!text.safeForTerminal.unicodeScalars.contains(where: \.controlsTerminal))
        precondition(text.escapedForDisplay().utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    }

    private static func runPath(_ text: String) {
        guard let path = try? NodePath(text) else {
            return
        }
        precondition(path.description == text)
        precondition(path.components.count == path.depth)
        precondition(NodePath(joining: path.components.map(String.init)) == path)
        precondition(path.contains(path) && NodePath.root.contains(path))
        guard let parent = path.parent else {
            precondition(path.isRoot)
            return
        }
        precondition((try? parent.appending(path.name)) == path)
        precondition(parent.contains(path) && !path.contains(parent))
    }

    private static func runName(_ text: String) {
        guard let name = try? EventName(text) else {
            return
        }
        precondition(name.description == text && text.utf8.count <= NameRule.byteCountMax)
        precondition(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
        precondition((try? NodePath("/" + text))?.name == text)
    }
}
