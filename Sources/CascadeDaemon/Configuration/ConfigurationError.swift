// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// Why a configuration cannot be taken: everything that is wrong with it, in the order in which it
/// was read.
package struct ConfigurationError: Error, CustomStringConvertible {
    package let faults: [SettingFault]
    /// The files that they are in.
    let kind: DaemonFileKind

    init(faults: [SettingFault]) {
        self.faults = faults
        kind = .configuration
    }

    /// One file is wrong, as a sentence says.
    init(_ kind: DaemonFileKind, _ sentence: String) {
        self.kind = kind
        faults = [SettingFault(nil, sentence)]
    }

    package var description: String {
        faults.map(\.description).joined(separator: "\n")
    }
}
