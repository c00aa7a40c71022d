// SPDX-License-Identifier: Apache-2.0

package import CascadeBroker

/// What a daemon is told. The values here are the defaults; ``Setting`` says what each is for.
package struct DaemonOptions: Sendable {
    /// As ZeroMQ writes them; at least one.
    package var endpoints = [DefaultEndpoint.system]
    package var graceMilliseconds: UInt32 = 10_000
    package var settleMilliseconds: UInt32 = 2_000
    package var deadlineMilliseconds: UInt32 = 30_000
    package var beatMilliseconds: UInt32 = 1_000
    /// How long a connection may go without a greeting.
    package var greetingMilliseconds: UInt32 = 10_000
    package var reattachMilliseconds: UInt32 = 2_000
    package var resumeMilliseconds: UInt32 = 60_000
    /// The folder for what survives the daemon; `nil` for none, and no durable events.
    package var stateDirectory: String?
    /// Files of policy, and folders of such; none for the default folder.
    package var policy: [String] = []
    /// The file with the key of the bus; `nil` for systemd's credential, if there is one.
    package var curveKey: String?
    /// The file with the public keys that may come in.
    package var authorizedKeys: String? = "/etc/cascade/authorized_keys"
    /// Whether tcp may be served to other machines without keys.
    package var allowsPlainTCP = false
    /// How long events under way may take to end when the daemon stops.
    package var stopMilliseconds: UInt32 = 5_000
    /// Files of rules, and folders of such; none for the default folder.
    package var rules: [String] = []
    /// How long the broker's thread polls before it sleeps.
    package var spinMicroseconds: UInt32 = 0
    package var logLevel = LogLevel.standard
    package var logFormat = LogFormat.auto.rawValue
    /// Where metrics are told; `nil` for nowhere.
    package var metricsSocket: String?
    package var metricsNodes: UInt32 = 100
    package var limits = Limits()

    package init() {}
}
