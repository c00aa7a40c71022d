// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Glibc

/// How many connections there may be, and how long one may be silent.
struct ConnectionLimits {
    /// Connections of one user.
    let perUser: Int
    /// Connections of all users.
    let total: Int
    /// How long a connection may live without a message.
    let silenceMilliseconds: UInt32
    /// The descriptors that the process may have.
    let descriptorMax: Int

    /// At most so many of the process's descriptors are one user's connections: each of them takes
    /// two, one of which stands for the process at its other end, and who connects as fast as he
    /// can is some connections ahead of the guard.
    private static let descriptorsPerConnection = 8

    /// With fewer descriptors, the thousand connections that may have been accepted without the
    /// guard's having read of them could be too many.
    private static let descriptorMin = 4_096

    /// Lets the process have as many descriptors as its environment allows, and finds out how many
    /// connections they suffice for. Throws ``EndpointError`` if they suffice for none.
    init(_ limits: Limits, silenceMilliseconds: UInt32) throws(EndpointError) {
        let descriptorMax = Self.raiseDescriptorLimit()
        guard descriptorMax >= Self.descriptorMin else {
            throw EndpointError(
                """
                the bus needs at least \(Self.descriptorMin) file descriptors, and may have only \
                \(descriptorMax): raise the hard limit, with LimitNOFILE= in a unit or 'ulimit -n' \
                in a shell
                """)
        }
        self.descriptorMax = descriptorMax
        perUser = min(
            Int(limits.connectionsPerUser), descriptorMax / Self.descriptorsPerConnection)
        // Of what two for each connection leave, half is for those that are being closed.
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
