// SPDX-License-Identifier: Apache-2.0

/// What something that happened on the bus has to do with.
package enum MonitorEventKind: UInt8, Sendable, CaseIterable {
    /// Events, requests and cascades.
    case event = 1
    case error = 2
    case publish = 3
    case env = 4
    case topology = 5
    case admin = 6

    /// The kind as the command line writes it.
    package var name: String {
        "\(self)"
    }
}
