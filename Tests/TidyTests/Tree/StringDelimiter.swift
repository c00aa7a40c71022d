// SPDX-License-Identifier: Apache-2.0

/// How a string literal was opened, which decides how it closes and what escapes inside it.
struct StringDelimiter: Equatable, Sendable {
    /// The number of `#` around the quotation marks.
    let poundCount: Int

    let isMultiline: Bool

    var closing: [UInt8] {
        Array(repeating: UInt8(ascii: "\""), count: isMultiline ? 3 : 1) + pounds
    }

    /// What begins an escape sequence inside the literal.
    var escape: [UInt8] {
        [UInt8(ascii: "\\")] + pounds
    }

    private var pounds: [UInt8] {
        Array(repeating: UInt8(ascii: "#"), count: poundCount)
    }
}
