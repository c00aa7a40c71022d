// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What is sought among the nodes of all buses: words, and conditions such as `state:vacant`, `queue:>0` or
/// `bus:shop*`. All must hold. It means what the page's own search means, and is not case sensitive.
struct NodeSearch: Sendable {
    /// The number of nodes that are found.
    static let foundMax = 100
    /// The limit of a question, in characters: that of the page's field.
    static let lengthMax = 256

    private enum Condition: Sendable {
        case word(String)
        case state(String)
        case asked(String)
        case told(String)
        case unit(String)
        case user(String)
        case rate(Comparison)
        case queue(Comparison)
    }

    private let conditions: [Condition]
    private let busPatterns: [String]
    /// The path that is sought; `nil` if something else is.
    let path: NodePath?

    init(_ text: String) {
        var conditions: [Condition] = []
        var busPatterns: [String] = []
        for part in text.lowercased().split(whereSeparator: \.isWhitespace) {
            let fields = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = fields.count == 2 ? String(fields[1]) : ""
            switch fields.count == 2 ? fields[0] : "" {
            case "bus": busPatterns.append(value)
            case "state": conditions.append(.state(value == "silent" ? "unresponsive" : value))
            case "asked": conditions.append(.asked(value))
            case "told": conditions.append(.told(value))
            case "unit": conditions.append(.unit(value))
            case "user": conditions.append(.user(value))
            case "rate": conditions.append(.rate(Comparison(value)))
            case "queue": conditions.append(.queue(Comparison(value)))
            default: conditions.append(.word(String(part)))
            }
        }
        self.conditions = conditions
        self.busPatterns = busPatterns
        let words = text.split(whereSeparator: \.isWhitespace).filter {
            !$0.lowercased().hasPrefix("bus:")
        }
        path = words.count == 1 && words[0].hasPrefix("/") ? try? NodePath(String(words[0])) : nil
    }

    /// Whether the nodes of a bus are sought.
    func includes(bus name: String) -> Bool {
        busPatterns.allSatisfy { name.lowercased().isOf(pattern: $0) }
    }

    func matches(_ node: ShownNode) -> Bool {
        conditions.allSatisfy { condition in
            let appearance = node.appearance
            return switch condition {
            case .word(let word): node.hasWord(word)
            case .state(let name): appearance.state.name == name
            case .asked(let name): appearance.asked.contains { $0.lowercased() == name }
            case .told(let name): appearance.told.contains { $0.lowercased() == name }
            case .unit(let pattern): appearance.unit.lowercased().isOf(pattern: pattern)
            case .user(let name): appearance.user.lowercased() == name
            case .rate(let bound): bound.holds(for: node.activity.perSecond)
            case .queue(let bound): bound.holds(for: Double(node.activity.queue))
            }
        }
    }
}

/// A bound of a number: `>5`, `<5` or `5`. A bound without its number holds for every value.
private struct Comparison: Sendable {
    private let sign: Character?
    private let number: Substring

    init(_ text: String) {
        sign = text.first.flatMap { $0 == ">" || $0 == "<" ? $0 : nil }
        number = sign == nil ? text[...] : text.dropFirst()
    }

    func holds(for value: Double) -> Bool {
        guard let bound = Double(number) else {
            return number.isEmpty
        }
        return switch sign {
        case ">": value > bound
        case "<": value < bound
        default: value == bound
        }
    }
}

extension ShownNode {
    fileprivate func hasWord(_ word: String) -> Bool {
        let texts =
            [path.description, appearance.unit, appearance.program, appearance.user]
            + appearance.asked + appearance.told
        return texts.contains { $0.lowercased().contains(word) }
    }
}

extension String {
    /// Whether the text is of a pattern, in which `*` stands for any text.
    fileprivate func isOf(pattern: String) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard parts.count > 1, let first = parts.first, let last = parts.last else {
            return self == pattern
        }
        guard hasPrefix(first), dropFirst(first.count).hasSuffix(last) else {
            return false
        }
        var rest = dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else {
                return false
            }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
