// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a setting, and where it was said: one line for a person.
package struct SettingFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// `nil` where the sentence says it itself.
    package let origin: SettingOrigin?
    package let sentence: String

    init(_ origin: SettingOrigin?, _ sentence: String) {
        self.origin = origin
        self.sentence = sentence
    }

    package var description: String {
        (origin.map { "\($0): " } ?? "") + sentence
    }
}
