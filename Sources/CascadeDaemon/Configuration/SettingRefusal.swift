// SPDX-License-Identifier: Apache-2.0

/// The reason why a value is invalid; the caller adds the origin to make a ``SettingFault``.
struct SettingRefusal: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}
