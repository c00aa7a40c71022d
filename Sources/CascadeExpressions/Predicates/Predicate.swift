// SPDX-License-Identifier: Apache-2.0

/// A condition over named scalars, such as `priority == "high" && amount > 100`.
///
/// A comparison with what is missing or of another type is false; that holds for `!=` too. Equal
/// predicates say the same in the same order, however they were written.
package struct Predicate: Hashable, Sendable {
    /// The longest text of a predicate, in bytes, as it was given and as ``description`` writes it:
    /// what one costs at each visit has a bound.
    package static let byteCountMax = 4096

    /// How deep parentheses and `!` may nest.
    package static let depthMax = 64

    static let tooLong = "the predicate has more than \(byteCountMax) bytes"

    private let term: Term

    init(_ term: Term) {
        self.term = term
    }

    /// Throws ``ExpressionError``, quoting the offence, unless `text` is one whole predicate.
    package init(_ text: some StringProtocol) throws(ExpressionError) {
        guard text.utf8.count <= Self.byteCountMax else {
            throw ExpressionError(Self.tooLong, at: 0, in: [])
        }
        var parser = PredicateParser(Tokenizer(Array(text.utf8)))
        self = try parser.predicate()
        try parser.expectEnd()
    }

    /// Whether the predicate holds where `value` says what a name stands for, and nothing for a
    /// name that stands for nothing. Asks only for what decides.
    package func evaluate(_ value: (String) -> Scalar?) -> Bool {
        term.evaluate(value)
    }

    /// The names that the predicate reads, each once, in the order in which they first stand.
    package var names: [String] {
        var names: [String] = []
        var known: Set<String> = []
        term.forEachName { name in
            if known.insert(name).inserted {
                names.append(name)
            }
        }
        return names
    }

    /// How specific the predicate is: a comparison or a name counts 1, and so does `!` with all
    /// that is behind it; `&&` and `||` count the sum of their parts, `true` and `false` nothing.
    package var complexity: Int {
        term.complexity
    }
}

extension Predicate: CustomStringConvertible {
    /// The canonical text: it reads back as an equal predicate, with nothing in it that can't be
    /// seen.
    package var description: String {
        term.description
    }
}
