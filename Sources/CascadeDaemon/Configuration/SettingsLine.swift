// SPDX-License-Identifier: Apache-2.0

/// Reads one line of a configuration file from left to right.
struct SettingsLine {
    private let file: String
    private let number: Int
    private let characters: [Character]
    private(set) var index = 0
    /// In how many brackets and braces the reader is.
    var depth = 0

    init(_ line: Substring, file: String, number: Int) {
        characters = Array(line)
        self.file = file
        self.number = number
    }

    var origin: SettingOrigin {
        .file(file, line: number, column: index + 1)
    }

    func fault(_ sentence: String) -> SettingFault {
        SettingFault(origin, sentence)
    }

    // MARK: - Characters

    /// Whether nothing is left but a comment.
    var isAtEnd: Bool {
        index == characters.count || isAtComment
    }

    private var isAtComment: Bool {
        isAt("#") && (index == 0 || characters[index - 1].isWhitespace)
    }

    func isAt(_ character: Character) -> Bool {
        index < characters.count && characters[index] == character
    }

    mutating func takes(_ character: Character) -> Bool {
        guard isAt(character) else {
            return false
        }
        index += 1
        return true
    }

    mutating func skipSpaces() {
        while index < characters.count, characters[index].isWhitespace {
            index += 1
        }
    }

    /// Whether a list element begins here; its dash and space are read.
    mutating func takesDash() -> Bool {
        guard isAt("-"), index + 1 == characters.count || characters[index + 1] == " " else {
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
            throw rest.fault("'\(String(rest.characters[rest.index...]))' is too much here")
        }
    }

    // MARK: - Parts

    /// A key and its colon.
    mutating func key() throws(SettingFault) -> String {
        let start = index
        while index < characters.count, characters[index].isPartOfKey {
            index += 1
        }
        let name = String(characters[start..<index])
        guard !name.isEmpty, takes(":"), index == characters.count || characters[index] == " "
        else {
            index = start
            throw fault("a key with a colon and a space behind it is expected here")
        }
        return name
    }

    /// The elements of a list, its bracket read.
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

    /// A text, plain or in quotes.
    mutating func scalar() throws(SettingFault) -> String {
        if takes("'") {
            return try singleQuoted()
        }
        if takes("\"") {
            return try doubleQuoted()
        }
        guard index < characters.count, !isAtComment, !"[]{},&*!|>%@`?".contains(characters[index])
        else {
            throw fault("a value is expected here; what begins like this belongs in quotes")
        }
        return try plain()
    }

    private mutating func plain() throws(SettingFault) -> String {
        let start = index
        while index < characters.count, !isAtComment, !endsPlain(characters[index]) {
            let isLast = index + 1 == characters.count
            if characters[index] == ":", isLast || characters[index + 1] == " " {
                throw fault("a colon in a value belongs in quotes")
            }
            index += 1
        }
        var text = characters[start..<index]
        while text.last?.isWhitespace == true {
            text.removeLast()
        }
        return String(text)
    }

    private func endsPlain(_ character: Character) -> Bool {
        depth > 0 && "[]{},".contains(character)
    }

    private mutating func singleQuoted() throws(SettingFault) -> String {
        var text = ""
        while index < characters.count {
            if takes("'") {
                guard takes("'") else {
                    return text
                }
                text += "'"
            } else {
                text.append(characters[index])
                index += 1
            }
        }
        throw fault("the quote ' that closes the value is missing")
    }

    private mutating func doubleQuoted() throws(SettingFault) -> String {
        var text = ""
        while index < characters.count {
            if takes("\"") {
                return text
            }
            text.append(takes("\\") ? try escaped() : characters[index])
            index += 1
        }
        throw fault("the quote \" that closes the value is missing")
    }

    /// What a backslash, which has been read, makes of the character behind it.
    private func escaped() throws(SettingFault) -> Character {
        switch index < characters.count ? characters[index] : " " {
        case "\\": "\\"
        case "\"": "\""
        case "/": "/"
        case "n": "\n"
        case "t": "\t"
        default: throw fault("behind a backslash stands one of \\ \" / n t")
        }
    }
}

extension Character {
    fileprivate var isPartOfKey: Bool {
        isASCII && (isLetter || isNumber || self == "_" || self == "-" || self == ".")
    }
}
