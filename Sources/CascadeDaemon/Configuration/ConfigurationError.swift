// SPDX-License-Identifier: Apache-2.0

/// Why a configuration cannot be taken: everything that is wrong with it, in the order in which it
/// was read.
package struct ConfigurationError: Error, CustomStringConvertible {
    package let faults: [SettingFault]

    init(faults: [SettingFault]) {
        self.faults = faults
    }

    /// One file is wrong, as a sentence says.
    init(_ sentence: String) {
        faults = [SettingFault(nil, sentence)]
    }

    package var description: String {
        faults.map(\.description).joined(separator: "\n")
    }
}
