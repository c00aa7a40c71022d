// SPDX-License-Identifier: Apache-2.0

/// What a byte of Swift source belongs to.
///
/// Rules about code read code alone, so that a comment or a string may name what is forbidden.
enum SyntaxKind: Sendable {
    case code
    case comment
    case literal
}
