// SPDX-License-Identifier: Apache-2.0

/// Reads a configuration file: a subset of YAML for settings.
///
/// The subset has keys with values, sections by indentation, lists in brackets or by dashes, maps
/// in braces, plain and quoted texts, and comments. All other YAML (anchors, tags, texts of several
/// lines) is refused, so that no file has another meaning here than in YAML.
package struct SettingsText {
    private struct Section {
        var indent: Int
        var prefix: String
    }

    /// A key without a value on its line: a section or a list may follow.
    private struct OpenKey {
        var indent: Int
        var key: String
        var origin: SettingOrigin
        var elements: [String]?
    }

    /// The largest number of open braces, each of which needs a stack frame.
    private static let depthMax = 8

    private let file: String
    private var sections = [Section(indent: 0, prefix: "")]
    private var open: OpenKey?
    package private(set) var settings: [PlacedSetting] = []
    package private(set) var faults: [SettingFault] = []

    package init(_ text: String, file: String) {
        self.file = file
        for (index, line) in text.unicodeScalars
            .split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        {
            do throws(SettingFault) {
                try read(line.last == "\r" ? line.dropLast() : line, index + 1)
            } catch {
                faults.append(error)
                open = nil
            }
        }
        closeKey()
        reportDuplicates()
    }

    // MARK: - Lines

    private mutating func read(
        _ line: Substring.UnicodeScalarView, _ number: Int
    ) throws(SettingFault) {
        var reader = SettingsLine(line, file: file, number: number)
        reader.skipSpaces()
        guard !reader.isAtEnd, !(number == 1 && Substring(line) == "---") else {
            return
        }
        let indent = reader.index
        guard line.prefix(indent).allSatisfy({ $0 == " " }) else {
            throw reader.fault("a tab indents this line; use spaces")
        }
        if reader.takesDash() {
            try readElement(&reader, indent)
        } else {
            try readKey(&reader, indent)
        }
    }

    private mutating func readElement(
        _ reader: inout SettingsLine, _ indent: Int
    ) throws(SettingFault) {
        guard let open, indent >= open.indent else {
            throw reader.fault(
                "a list element needs a key without a value above it")
        }
        let text = try reader.scalar()
        try reader.expectEnd()
        self.open?.elements = (open.elements ?? []) + [text]
    }

    private mutating func readKey(
        _ reader: inout SettingsLine, _ indent: Int
    ) throws(SettingFault) {
        let origin = reader.origin
        let name = try reader.key()
        try enterSection(indent, reader, origin)
        let key = (sections.last?.prefix ?? "") + name
        reader.skipSpaces()
        guard !reader.isAtEnd else {
            open = OpenKey(indent: indent, key: key, origin: origin, elements: nil)
            return
        }
        try readValue(of: key, at: origin, &reader)
        try reader.expectEnd()
    }

    /// Enters or leaves sections until the innermost has this indentation.
    private mutating func enterSection(
        _ indent: Int, _ reader: SettingsLine, _ origin: SettingOrigin
    ) throws(SettingFault) {
        if let open, open.elements == nil, indent > open.indent {
            sections.append(Section(indent: indent, prefix: open.key + "."))
            self.open = nil
            return
        }
        closeKey()
        while sections.count > 1, let last = sections.last, last.indent > indent {
            sections.removeLast()
        }
        guard sections.last?.indent == indent else {
            throw SettingFault(origin, "the indentation of this line matches none above")
        }
    }

    private mutating func readValue(
        of key: String, at origin: SettingOrigin, _ reader: inout SettingsLine
    ) throws(SettingFault) {
        if reader.takes("{") {
            try readMap(key, &reader)
        } else if reader.takes("[") {
            settings.append(PlacedSetting(key, .list(try reader.list()), origin))
        } else {
            settings.append(PlacedSetting(key, .scalar(try reader.scalar()), origin))
        }
    }

    /// Reads `{key: value, key: value}`; the opening brace has been read.
    private mutating func readMap(
        _ prefix: String, _ reader: inout SettingsLine
    ) throws(SettingFault) {
        guard reader.depth < Self.depthMax else {
            throw reader.fault("a section may be at most \(Self.depthMax) braces deep")
        }
        reader.depth += 1
        reader.skipSpaces()
        while !reader.takes("}") {
            let origin = reader.origin
            let name = try reader.key()
            reader.skipSpaces()
            try readValue(of: prefix + "." + name, at: origin, &reader)
            reader.skipSpaces()
            guard reader.takes(",") || reader.isAt("}") else {
                throw reader.fault("',' or '}' is missing here")
            }
            reader.skipSpaces()
        }
        reader.depth -= 1
    }

    // MARK: - Ends

    private mutating func closeKey() {
        guard let key = open else {
            return
        }
        open = nil
        let value = key.elements.map { RawSetting.list($0) } ?? .empty
        settings.append(PlacedSetting(key.key, value, key.origin))
    }

    private mutating func reportDuplicates() {
        var seen: [String: SettingOrigin] = [:]
        for setting in settings {
            if let first = seen.updateValue(setting.origin, forKey: setting.key) {
                faults.append(
                    SettingFault(setting.origin, "\(setting.key) is already set at \(first)"))
            }
        }
    }
}

/// A key, its unchecked value, and their origin.
package struct PlacedSetting: Hashable, Sendable {
    /// Section and name, separated by a dot: `limits.nodes`.
    package let key: String
    package let value: RawSetting
    package let origin: SettingOrigin

    package init(_ key: String, _ value: RawSetting, _ origin: SettingOrigin) {
        self.key = key
        self.value = value
        self.origin = origin
    }
}

/// The unchecked value of a setting.
package enum RawSetting: Hashable, Sendable {
    /// The key has no value.
    case empty
    case scalar(String)
    case list([String])
}

/// The origin of a setting's value.
package enum SettingOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The daemon's default.
    case compiledIn
    case file(String, line: Int, column: Int)
    /// An environment variable.
    case variable(String)
    /// A flag of the command line, with its dashes.
    case flag(String)

    package var description: String {
        switch self {
        case .compiledIn: "default"
        case .file(let path, let line, let column): "\(path):\(line):\(column)"
        case .variable(let name): name
        case .flag(let name): name
        }
    }
}

/// An invalid setting and its origin, as one line.
package struct SettingFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// `nil` if the sentence names the origin.
    package let origin: SettingOrigin?
    package let sentence: String

    package init(_ origin: SettingOrigin?, _ sentence: String) {
        self.origin = origin
        self.sentence = sentence
    }

    package var description: String {
        (origin.map { "\($0): " } ?? "") + sentence
    }
}
