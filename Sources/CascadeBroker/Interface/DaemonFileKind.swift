// SPDX-License-Identifier: Apache-2.0

/// The files that a daemon reads at its start and at a reload.
package enum DaemonFileKind: Sendable, Equatable, CaseIterable {
    case configuration, policy, rules, keys

    /// What a monitor is told where one of them is refused.
    package var refusal: String {
        "\(self)Refused"
    }
}
