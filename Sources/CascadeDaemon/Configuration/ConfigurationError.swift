// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// The reasons why a configuration is refused: all faults, in the order in which they were read.
package struct ConfigurationError: Error, CustomStringConvertible {
    package let faults: [SettingFault]
    /// The kind of the files that contain the faults.
    let kind: DaemonFileKind

    init(faults: [SettingFault]) {
        self.faults = faults
        kind = .configuration
    }

    /// A fault of one whole file.
    init(_ kind: DaemonFileKind, _ sentence: String) {
        self.kind = kind
        faults = [SettingFault(nil, sentence)]
    }

    package var description: String {
        faults.map(\.description).joined(separator: "\n")
    }
}
