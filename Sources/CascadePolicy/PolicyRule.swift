// SPDX-License-Identifier: Apache-2.0

package import CascadeExpressions
package import CascadeWire

/// A rule of a policy: it allows or denies verbs at paths to a subject.
package struct PolicyRule: Sendable {
    /// The position of a rule in a file.
    package struct Position: Equatable, Sendable {
        /// The path of the file.
        package var file: String
        /// The line and column, counted from 1.
        package var line: Int
        package var column: Int

        package init(file: String, line: Int, column: Int) {
            self.file = file
            self.line = line
            self.column = column
        }
    }

    package let isAllowing: Bool
    package let verbs: PolicyVerbs
    package let pattern: PathPattern
    package let subject: PolicySubject
    /// The position; `nil` for a rule of the default policy.
    package let position: Position?
    /// The rule as it was written.
    package let text: String

    package init(
        isAllowing: Bool, _ verbs: PolicyVerbs, _ pattern: PathPattern, _ subject: PolicySubject,
        at position: Position?, text: String
    ) {
        self.isAllowing = isAllowing
        self.verbs = verbs
        self.pattern = pattern
        self.subject = subject
        self.position = position
        self.text = text
    }

    /// Returns whether the rule's subject includes `identity`.
    package func concerns(_ identity: PolicyIdentity) -> Bool {
        subject.includes(identity)
    }

    /// Returns whether the rule allows or denies `verb` at `path`.
    package func covers(_ verb: PolicyVerb, _ path: NodePath) -> Bool {
        verbs.contains(verb) && pattern.covers(path)
    }
}

extension PolicyRule: CustomStringConvertible {
    /// `FILE:LINE:COLUMN 'rule'`, for use in an error sentence.
    package var description: String {
        let shown = text.escapedForDisplay(limit: 200)
        return position.map { "\($0) '\(shown)'" } ?? "the default policy's rule '\(shown)'"
    }
}

extension PolicyRule.Position: CustomStringConvertible {
    package var description: String {
        "\(file.escapedForDisplay(limit: 256)):\(line):\(column)"
    }
}

/// The subject of a policy rule.
package enum PolicySubject: Sendable {
    case user(UInt32)
    /// Processes with the group as their primary or a supplementary one.
    case group(UInt32)
    case unit(Glob)
    /// Peers that were authenticated by a key with a matching name.
    case key(Glob)
    /// Every peer, including those without a known identity.
    case everyone

    /// Returns whether the subject includes `identity`.
    package func includes(_ identity: PolicyIdentity) -> Bool {
        switch self {
        case .user(let userID): identity.userID == userID
        case .group(let groupID): identity.groupIDs.contains(groupID)
        case .unit(let glob): !identity.unit.isEmpty && glob.matches(identity.unit)
        case .key(let glob): identity.key.map { glob.matches($0) } ?? false
        case .everyone: true
        }
    }
}
