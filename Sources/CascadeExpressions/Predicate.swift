// SPDX-License-Identifier: Apache-2.0

/// A condition over named scalars, such as `priority == "high" && amount > 100`.
///
/// A comparison with a missing value or one of another type is false, even with `!=`. Predicates
/// are equal if they have the same terms in the same order, regardless of spelling.
package struct Predicate: Hashable, Sendable {
    /// The maximum length of a predicate in bytes, both of its text and of ``description``. It bounds the
    /// cost of each evaluation.
    package static let byteCountMax = 4096

    /// The maximum nesting of parentheses and `!`.
    package static let depthMax = 64

    static let tooLong = "the predicate has more than \(byteCountMax) bytes"

    private let term: Term

    init(_ term: Term) {
        self.term = term
    }

    /// Parses a text. Throws ``ExpressionError``, which quotes the fault, unless `text` is one
    /// whole predicate.
    package init(_ text: some StringProtocol) throws(ExpressionError) {
        guard text.utf8.count <= Self.byteCountMax else {
            throw ExpressionError(Self.tooLong, at: 0, in: [])
        }
        var parser = PredicateParser(Tokenizer(Array(text.utf8)))
        self = try parser.predicate()
        try parser.expectEnd()
    }

    /// Evaluates the predicate. `value` returns the value of a name, or `nil`; it is called only
    /// for names that affect the result.
    package func evaluate(_ value: (String) -> Scalar?) -> Bool {
        var steps = 0
        return evaluate(addingStepsTo: &steps, value)
    }

    /// Evaluates the predicate, and adds its cost to `steps`: a constant for each term, one step for
    /// each byte of two compared strings, and one step for each byte of a string and each 64 bytes of
    /// the pattern that matches it. A step takes at most a few nanoseconds.
    package func evaluate(
        addingStepsTo steps: inout Int, _ value: (String) -> Scalar?
    ) -> Bool {
        term.evaluate(&steps, value)
    }

    /// The names that the predicate reads, each once, in the order of their first occurrence.
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

    /// The specificity of the predicate: a comparison, a name, and `!` with its operand count 1;
    /// `&&` and `||` count the sum of their parts, `true` and `false` 0.
    package var complexity: Int {
        term.complexity
    }
}

extension Predicate: CustomStringConvertible {
    /// The canonical text, which parses as an equal predicate and has no invisible characters.
    package var description: String {
        term.description
    }
}
