// SPDX-License-Identifier: Apache-2.0

/// The colouring of text, which may be off.
struct Style: Sendable {
    let isColoured: Bool

    enum Colour: String, Sendable {
        case plain = ""
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    func apply(_ colour: Colour, _ text: String) -> String {
        guard isColoured, colour != .plain, !text.isEmpty else {
            return text
        }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }
}
