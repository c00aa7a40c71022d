// SPDX-License-Identifier: Apache-2.0

import CascadeService

/// The text of a configuration file, of which single settings change and all else stays: comments, the
/// order, and settings of other sections.
///
/// Sections keep their form: a setting of a section in braces makes it one with a line for each setting.
package struct SiteConfigurationText: Equatable, Sendable {
    private var lines: [String]

    /// Takes the text of a valid configuration file, which may be empty.
    package init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" {
            lines.removeLast()
        }
    }

    package var text: String {
        lines.map { $0 + "\n" }.joined()
    }

    /// Whether the text sets a setting.
    package func hasSetting(_ key: String) -> Bool {
        settings.contains { $0.key == key }
    }

    /// Sets a setting, or removes it.
    ///
    /// - Parameters:
    ///   - key: A name, or a section and a name: `parent.server`.
    ///   - value: The text; `nil` removes the setting, and its section with the last setting of it.
    package mutating func set(_ key: String, to value: String?) {
        let (section, name) = Self.parts(of: key)
        if let section {
            spreadBraces(of: section)
        }
        remove(key)
        guard let value else {
            removeIfEmpty(section)
            return
        }
        let line = "\(name): \(SettingsText.quoted(value))"
        guard let section else {
            // Before the first section, so that the line does not become a part of one.
            let first = settings.first { $0.key.contains(".") }.flatMap(Self.line)
            let start = first.flatMap { sectionStart(before: $0) }
            lines.insert(line, at: start ?? lines.count)
            return
        }
        guard let start = start(of: section) else {
            lines += ["\(section):", "  \(line)"]
            return
        }
        let indent = self.indent(below: start) ?? "  "
        lines.insert(indent + line, at: end(ofSectionAt: start))
    }

    /// Removes a section with all its settings.
    package mutating func removeSection(_ section: String) {
        spreadBraces(of: section)
        for placed in settings.reversed() where placed.key.hasPrefix(section + ".") {
            remove(placed.key)
        }
        removeIfEmpty(section)
    }

    /// The settings in their order.
    private var settings: [PlacedSetting] {
        SettingsText(text, file: "").settings
    }

    // MARK: - Lines

    private static func parts(of key: String) -> (section: String?, name: String) {
        guard let dot = key.firstIndex(of: ".") else {
            return (nil, key)
        }
        return (String(key[..<dot]), String(key[key.index(after: dot)...]))
    }

    /// The index of the line of a setting.
    private static func line(_ placed: PlacedSetting) -> Int? {
        guard case .file(_, let line, _) = placed.origin else {
            return nil
        }
        return line - 1
    }

    /// Removes the lines of a setting, with the elements of a list below it.
    private mutating func remove(_ key: String) {
        guard let line = settings.first(where: { $0.key == key }).flatMap(Self.line) else {
            return
        }
        var end = line + 1
        let own = Self.indent(of: lines[line])
        while end < lines.count, Self.isElement(lines[end]), Self.indent(of: lines[end]) >= own {
            end += 1
        }
        lines.removeSubrange(line..<end)
    }

    private static func isElement(_ line: String) -> Bool {
        line.drop { $0 == " " }.hasPrefix("-")
    }

    private static func indent(of line: String) -> Int {
        line.prefix { $0 == " " }.count
    }

    private static func isContent(_ line: String) -> Bool {
        let rest = line.drop { $0 == " " }
        return !rest.isEmpty && !rest.hasPrefix("#")
    }

    /// The line that begins a section.
    private func start(of section: String) -> Int? {
        lines.firstIndex { $0.hasPrefix("\(section):") }
    }

    private func sectionStart(before line: Int) -> Int? {
        lines[...line].lastIndex { Self.indent(of: $0) == 0 && Self.isContent($0) }
    }

    /// The line after the last setting of a section.
    private func end(ofSectionAt start: Int) -> Int {
        var end = start + 1
        for index in lines.indices.dropFirst(start + 1) {
            guard Self.isContent(lines[index]) else {
                continue
            }
            guard Self.indent(of: lines[index]) > 0 else {
                break
            }
            end = index + 1
        }
        return end
    }

    private func indent(below start: Int) -> String? {
        let end = end(ofSectionAt: start)
        return lines[(start + 1)..<end].first(where: Self.isContent).map { line in
            String(repeating: " ", count: Self.indent(of: line))
        }
    }

    private mutating func removeIfEmpty(_ section: String?) {
        guard let section, let start = start(of: section), end(ofSectionAt: start) == start + 1
        else {
            return
        }
        lines.remove(at: start)
    }

    /// Writes a section in braces with a line for each setting.
    private mutating func spreadBraces(of section: String) {
        guard let start = start(of: section),
            lines[start].dropFirst(section.utf8.count + 1).drop(while: { $0 == " " })
                .hasPrefix("{")
        else {
            return
        }
        let inside = settings.filter {
            $0.key.hasPrefix(section + ".") && Self.line($0) == start
        }
        let spread = inside.map { placed in
            let name = placed.key.dropFirst(section.utf8.count + 1)
            return switch placed.value {
            case .empty: "  \(name):"
            case .scalar(let text): "  \(name): \(SettingsText.quoted(text))"
            case .list(let texts):
                "  \(name): [\(texts.map(SettingsText.quoted).joined(separator: ", "))]"
            }
        }
        lines.replaceSubrange(start...start, with: ["\(section):"] + spread)
    }
}
