// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeService
import Glibc
import LocalTransport

/// Limits of connections, as the descriptors of the process and the bus's limits allow them.
struct DescriptorLimits {
    /// Connections of one user.
    let perUser: Int
    /// Connections of all users.
    let total: Int
    /// The number of descriptors that the process may open.
    let descriptorMax: Int

    /// Where several users share a bus, the connections of one are bounded by this fraction of the
    /// descriptors.
    private static let descriptorsPerConnection = 8
    /// Descriptors for everything but connections.
    private static let ownDescriptorCount = 64
    private static let descriptorMin = 256
    /// libzmq accepts up to a thousand connections before the guard reads of them, and ends the
    /// process when it runs out of descriptors.
    private static let descriptorMinOfLibzmq = 4_096

    /// Derives the limits of connections. Throws `EndpointError` if there are too few descriptors to
    /// serve.
    ///
    /// - Parameters:
    ///   - descriptorMax: the number of descriptors that the process may open.
    ///   - isShared: whether more than one user can open the bus's sockets.
    ///   - usesLibzmq: whether libzmq accepts connections.
    init(
        _ limits: Limits, descriptorMax: Int, isShared: Bool, usesLibzmq: Bool
    ) throws(EndpointError) {
        let least = usesLibzmq ? Self.descriptorMinOfLibzmq : Self.descriptorMin
        guard descriptorMax >= least else {
            throw EndpointError(
                """
                the bus needs at least \(least) file descriptors, but may open only \
                \(descriptorMax): raise the hard limit with LimitNOFILE= in a unit or 'ulimit -n' \
                in a shell
                """)
        }
        self.descriptorMax = descriptorMax
        // Each connection takes two descriptors, one of them for the process at its other end. Of
        // libzmq's, half of the rest is for connections being closed.
        total = usesLibzmq ? descriptorMax / 4 : (descriptorMax - Self.ownDescriptorCount) / 2
        perUser = min(
            Int(limits.connectionsPerUser),
            isShared || usesLibzmq ? descriptorMax / Self.descriptorsPerConnection : total)
    }

    /// Raises the process's descriptor limit to its hard limit, and returns that.
    static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1_024
        }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_max)
    }
}
