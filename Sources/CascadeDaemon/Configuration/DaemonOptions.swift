// SPDX-License-Identifier: Apache-2.0

package import CascadeBroker
import CascadeService
import LocalTransport

/// The implementation of ZMTP on unix sockets.
package enum LocalTransportChoice: String, CaseIterable, Sendable {
    /// The daemon itself.
    case builtin
    case libzmq
}

/// The settings of a daemon. The values here are the defaults; ``Setting`` describes each.
package struct DaemonOptions: Sendable {
    /// Endpoints in ZeroMQ's notation; at least one.
    package var endpoints = [SystemBus.endpoint]
    /// The implementation that serves unix sockets: one of ``LocalTransportChoice``.
    package var transport = LocalTransportChoice.builtin.rawValue
    /// Time that the path of a lost node is kept vacant.
    package var graceMilliseconds: UInt32 = 10_000
    /// Time without changes of the tree before declarations are judged.
    package var settleMilliseconds: UInt32 = 2_000
    /// Deadline of an event that has none of its own.
    package var deadlineMilliseconds: UInt32 = 30_000
    /// Interval of heartbeats.
    package var beatMilliseconds: UInt32 = 1_000
    /// How long a connection may take to send its greeting.
    package var greetingMilliseconds: UInt32 = 10_000
    /// Time that a restarted daemon waits for its nodes to attach again.
    package var reattachMilliseconds: UInt32 = 2_000
    /// Time for which a disconnected session can resume.
    package var resumeMilliseconds: UInt32 = 60_000
    /// The folder for durable state; `nil` for none, and no durable events.
    package var stateDirectory: String?
    /// Policy files, and folders of them; empty for the default folder.
    package var policy: [String] = []
    /// The file with the secret key of the bus; `nil` for systemd's credential, if present.
    package var curveKey: String?
    /// The file with the authorized public keys.
    package var authorizedKeys: String? = "/etc/cascade/authorized_keys"
    /// Whether tcp may be served to other machines without keys.
    package var allowsPlainTCP = false
    /// How long messages being handled may take to end when the daemon stops.
    package var stopMilliseconds: UInt32 = 5_000
    /// Rule files, and folders of them; empty for the default folder.
    package var rules: [String] = []
    /// How long the broker's thread polls before it sleeps.
    package var spinMicroseconds: UInt32 = 0
    package var logLevel = LogLevel.standard
    package var logFormat = LogFormat.auto.rawValue
    /// Path of the metrics socket; `nil` for none.
    package var metricsSocket: String?
    /// The largest number of nodes for which metrics list each node.
    package var metricsNodes: UInt32 = 100
    package var limits = Limits()

    package init() {}
}
