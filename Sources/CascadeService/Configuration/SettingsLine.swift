// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Reads one line of a configuration file from left to right.
///
/// It reads Unicode scalars, not characters: a combining mark behind a quote must not hide the
/// quote.
struct SettingsLine {
    private let file: String
    private let number: Int
    private let scalars: [Unicode.Scalar]
    private(set) var index = 0
    /// The number of open brackets and braces.
    var depth = 0

    init(_ line: Substring.UnicodeScalarView, file: String, number: Int) {
        scalars = Array(line)
        self.file = file
        self.number = number
    }

    var origin: SettingOrigin {
        .file(file, line: number, column: index + 1)
    }

    func fault(_ sentence: String) -> SettingFault {
        SettingFault(origin, sentence)
    }

    // MARK: - Scalars

    /// Whether only a comment or nothing follows.
    var isAtEnd: Bool {
        index == scalars.count || isAtComment
    }

    private var isAtComment: Bool {
        isAt("#") && (index == 0 || scalars[index - 1].isSpace)
    }

    func isAt(_ scalar: Unicode.Scalar) -> Bool {
        index < scalars.count && scalars[index] == scalar
    }

    mutating func takes(_ scalar: Unicode.Scalar) -> Bool {
        guard isAt(scalar) else {
            return false
        }
        index += 1
        return true
    }

    mutating func skipSpaces() {
        while index < scalars.count, scalars[index].isSpace {
            index += 1
        }
    }

    /// Reads the dash and space of a list element. Returns whether they were present.
    mutating func takesDash() -> Bool {
        guard isAt("-"), index + 1 == scalars.count || scalars[index + 1] == " " else {
            return false
        }
        index += 1
        skipSpaces()
        return true
    }

    func expectEnd() throws(SettingFault) {
        var rest = self
        rest.skipSpaces()
        guard rest.isAtEnd else {
            let found = Self.text(rest.scalars[rest.index...]).escapedForDisplay()
            throw rest.fault("'\(found)' is unexpected here")
        }
    }

    // MARK: - Parts

    /// Reads a key and its colon.
    mutating func key() throws(SettingFault) -> String {
        let start = index
        while index < scalars.count, scalars[index].isPartOfKey {
            index += 1
        }
        let name = Self.text(scalars[start..<index])
        guard !name.isEmpty, takes(":"), index == scalars.count || scalars[index] == " "
        else {
            index = start
            throw fault("a key, a colon and a space are expected here")
        }
        return name
    }

    /// Reads the elements of a list and its closing bracket; the opening one has been read.
    mutating func list() throws(SettingFault) -> [String] {
        depth += 1
        var elements: [String] = []
        skipSpaces()
        while !takes("]") {
            elements.append(try scalar())
            skipSpaces()
            guard takes(",") || isAt("]") else {
                throw fault("',' or ']' is missing here")
            }
            skipSpaces()
        }
        depth -= 1
        return elements
    }

    /// Reads a text, plain or quoted.
    mutating func scalar() throws(SettingFault) -> String {
        if takes("'") {
            return try singleQuoted()
        }
        if takes("\"") {
            return try doubleQuoted()
        }
        guard index < scalars.count, !isAtComment,
            !"[]{},&*!|>%@`?".unicodeScalars.contains(scalars[index])
        else {
            throw fault("a value is expected here; a text that begins like this needs quotes")
        }
        return try plain()
    }

    private mutating func plain() throws(SettingFault) -> String {
        let start = index
        while index < scalars.count, !isAtComment, !endsPlain(scalars[index]) {
            let isLast = index + 1 == scalars.count
            if scalars[index] == ":", isLast || scalars[index + 1] == " " {
                throw fault("a value with a colon needs quotes")
            }
            _ = try next()
        }
        var text = scalars[start..<index]
        while text.last?.isSpace == true {
            text.removeLast()
        }
        return Self.text(text)
    }

    private func endsPlain(_ scalar: Unicode.Scalar) -> Bool {
        depth > 0 && "[]{},".unicodeScalars.contains(scalar)
    }

    /// Reads one scalar. Control characters other than tabs must be escaped.
    private mutating func next() throws(SettingFault) -> Unicode.Scalar {
        let scalar = scalars[index]
        guard scalar.properties.generalCategory != .control || scalar == "\t" else {
            throw fault("a control character is not allowed here; write it in \"\", as \\x1B")
        }
        index += 1
        return scalar
    }

    private mutating func singleQuoted() throws(SettingFault) -> String {
        var text = String.UnicodeScalarView()
        while index < scalars.count {
            if takes("'") {
                guard takes("'") else {
                    return String(text)
                }
                text.append("'")
            } else {
                text.append(try next())
            }
        }
        throw fault("the closing quote ' is missing")
    }

    private mutating func doubleQuoted() throws(SettingFault) -> String {
        var text = String.UnicodeScalarView()
        while index < scalars.count {
            if takes("\"") {
                return String(text)
            }
            text.append(takes("\\") ? try escaped() : try next())
        }
        throw fault("the closing quote \" is missing")
    }

    /// Reads the rest of an escape sequence; its backslash has been read.
    private mutating func escaped() throws(SettingFault) -> Unicode.Scalar {
        let place = self
        let letter: Unicode.Scalar = index < scalars.count ? scalars[index] : " "
        index += 1
        switch letter {
        case "\\", "\"", "/": return letter
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "x": return try hexadecimal(digitCount: 2, place)
        case "u": return try hexadecimal(digitCount: 4, place)
        case "U": return try hexadecimal(digitCount: 8, place)
        default:
            throw place.fault("a backslash is followed by one of \\ \" / n r t x u U")
        }
    }

    private mutating func hexadecimal(
        digitCount: Int, _ place: SettingsLine
    ) throws(SettingFault) -> Unicode.Scalar {
        let digits = scalars[min(index, scalars.count)...].prefix(digitCount)
        guard digits.count == digitCount, digits.allSatisfy(\.properties.isASCIIHexDigit),
            let value = UInt32(Self.text(digits), radix: 16), let scalar = Unicode.Scalar(value)
        else {
            throw place.fault("\(digitCount) digits of a Unicode scalar are expected here")
        }
        index += digitCount
        return scalar
    }

    private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}

extension Unicode.Scalar {
    fileprivate var isSpace: Bool {
        self == " " || self == "\t"
    }

    fileprivate var isPartOfKey: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".": true
        default: false
        }
    }
}
