// SPDX-License-Identifier: Apache-2.0

/// An invalid setting and its origin, as one line.
package struct SettingFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// `nil` if the sentence names the origin.
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
