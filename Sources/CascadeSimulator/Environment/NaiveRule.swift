// SPDX-License-Identifier: Apache-2.0

/// A rule with an evaluation of its own, independent of the broker's: for keys whose values are
/// small numbers.
package struct NaiveRule: Sendable {
    enum Condition {
        case always
        case equals(String, Int)
        case not(String, Int)
        case both(String, Int, String, Int)
        case named(String)
    }

    enum Value {
        case number(Int)
        case key(String)
    }

    var condition: Condition
    var key: String
    var value: Value
    var priority: Int

    /// The rule in the notation of a rule file.
    package var text: String {
        let condition =
            switch condition {
            case .always: ""
            case .equals(let key, let number): "\(key) == \(number) => "
            case .not(let key, let number): "!(\(key) == \(number)) => "
            case .both(let left, let first, let right, let second):
                "\(left) == \(first) && \(right) == \(second) => "
            case .named(let name): "node.name == \"\(name)\" => "
            }
        let value =
            switch value {
            case .number(let number): "\(number)"
            case .key(let key): key
            }
        return "\(condition)\(key) <= \(value) ; \(priority)"
    }

    var complexity: Int {
        switch condition {
        case .always: 0
        case .equals, .not, .named: 1
        case .both: 2
        }
    }

    /// A random rule for these keys and names of nodes.
    package init(
        keys: [String], names: [String], _ generator: inout Randomness
    ) {
        key = generator.pick(keys)
        priority = generator.pick([0, 50, 100, 100, 100])
        value =
            generator.isLucky(50)
            ? .key(generator.pick(keys)) : .number(generator.below(3))
        condition =
            switch generator.below(6) {
            case 0: .always
            case 1: .not(generator.pick(keys), generator.below(3))
            case 2: .named(generator.pick(names))
            case 3:
                .both(
                    generator.pick(keys), generator.below(3), generator.pick(keys),
                    generator.below(3))
            default: .equals(generator.pick(keys), generator.below(3))
            }
    }
}
