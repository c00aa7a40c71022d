// SPDX-License-Identifier: Apache-2.0

/// Why a configuration cannot be taken: everything that is wrong with it, in the order in which it
/// was read.
package struct ConfigurationError: Error, CustomStringConvertible {
    package let faults: [SettingFault]

    package var description: String {
        faults.map(\.description).joined(separator: "\n")
    }
}
