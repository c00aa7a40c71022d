// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Glibc

/// Limits of connections, and of the time until their first message.
struct ConnectionLimits {
    /// Connections of one user.
    let perUser: Int
    /// Connections of all users.
    let total: Int
    /// How long a connection may stay open without a message.
    let silenceMilliseconds: UInt32
    /// The number of descriptors that the process may open.
    let descriptorMax: Int

    /// One user's connections are bounded by this fraction of the descriptors. A connection takes
    /// two, one of them for the process at its other end, and a user that connects in a loop is
    /// some connections ahead of the guard.
    private static let descriptorsPerConnection = 8

    /// With fewer descriptors, the connections that libzmq accepts before the guard reads of them
    /// (up to a thousand) could exhaust them.
    private static let descriptorMin = 4_096

    /// Raises the process's descriptor limit to its hard limit and derives the limits of
    /// connections. Throws ``EndpointError`` if there are too few descriptors to serve.
    init(_ limits: Limits, silenceMilliseconds: UInt32) throws(EndpointError) {
        let descriptorMax = Self.raiseDescriptorLimit()
        guard descriptorMax >= Self.descriptorMin else {
            throw EndpointError(
                """
                the bus needs at least \(Self.descriptorMin) file descriptors, but may open only \
                \(descriptorMax): raise the hard limit with LimitNOFILE= in a unit or 'ulimit -n' \
                in a shell
                """)
        }
        self.descriptorMax = descriptorMax
        perUser = min(
            Int(limits.connectionsPerUser), descriptorMax / Self.descriptorsPerConnection)
        // Each connection takes two descriptors; half of the rest is for connections being closed.
        total = descriptorMax / 4
        self.silenceMilliseconds = silenceMilliseconds
    }

    private static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1_024
        }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_max)
    }
}
