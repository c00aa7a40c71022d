// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
package import CascadeWire

/// A pattern of the paths that a policy rule covers. It has one glob for each component, or `**`
/// for any number of components, and covers the matching paths and their subtrees.
package struct PathPattern: Sendable, CustomStringConvertible {
    private enum Component: Sendable {
        case anyNumber
        case glob(Glob)
    }

    /// The pattern as it was written.
    package let description: String
    private let components: [Component]

    /// The pattern that covers every path.
    package static let everything = PathPattern(unchecked: "/")

    /// Whether the pattern covers every path, as `/` and `/**` do.
    package var isEverything: Bool {
        components.allSatisfy { component in
            if case .anyNumber = component { true } else { false }
        }
    }

    /// Returns `nil` unless the text is `/`, or has a `/` before each of its components and no
    /// empty component.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.first == UInt8(ascii: "/") else {
            return nil
        }
        let parts = text.utf8.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard text.utf8.count == 1 || parts.allSatisfy({ !$0.isEmpty }) else {
            return nil
        }
        self.init(unchecked: String(text))
    }

    private init(unchecked text: String) {
        description = text
        components = text.utf8.dropFirst().split(separator: UInt8(ascii: "/")).map { part in
            let text = String(Substring(part))
            return text == "**" ? .anyNumber : .glob(Glob(text))
        }
    }

    /// Returns whether the pattern matches the path or one of its ancestors. The time is bounded by the
    /// product of both lengths.
    package func covers(_ path: NodePath) -> Bool {
        // The states of an automaton: state n means that n components of the pattern have matched.
        var states = Set([0])
        addEmptyMatches(to: &states)
        for component in path.components {
            guard !states.contains(components.count) else {
                return true
            }
            states = advanced(states, over: String(component))
            addEmptyMatches(to: &states)
        }
        return states.contains(components.count)
    }

    /// Returns the states that follow `states` when `component` is read.
    private func advanced(_ states: Set<Int>, over component: String) -> Set<Int> {
        var next: Set<Int> = []
        for state in states {
            switch components[state] {
            case .anyNumber: next.insert(state)
            case .glob(let glob) where glob.matches(component): next.insert(state + 1)
            case .glob: break
            }
        }
        return next
    }

    /// Adds the states after each `**`, which also matches no component.
    private func addEmptyMatches(to states: inout Set<Int>) {
        for state in states.sorted() {
            var state = state
            while state < components.count, case .anyNumber = components[state] {
                state += 1
                states.insert(state)
            }
        }
    }
}
