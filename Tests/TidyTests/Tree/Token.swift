// SPDX-License-Identifier: Apache-2.0

/// One word or punctuation mark of Swift source, and the line it stands on.
///
/// `try!` and `as!` are one token each, so that `try !isEmpty` is not taken for a forced try.
struct Token: Equatable, Sendable {
    let text: String
    let line: Int

    var isWord: Bool {
        text.utf8.first.map(Tokenizer.isWordByte) ?? false
    }
}
