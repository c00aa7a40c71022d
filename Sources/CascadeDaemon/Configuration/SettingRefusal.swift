// SPDX-License-Identifier: Apache-2.0

/// Why something is no value of a setting; whoever knows where it was said makes a fault of it.
struct SettingRefusal: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}
