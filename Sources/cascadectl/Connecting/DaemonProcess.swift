// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The process that serves an endpoint.
enum DaemonProcess {
    /// Its number, if kernel and daemon agree on it: a daemon may be on another machine, in another
    /// namespace of process numbers, or on a socket that somebody else opened for it. Throws
    /// ``Stop`` otherwise.
    static func id(behind endpoint: String, claimed: UInt32) throws -> pid_t {
        guard let served = try EndpointProbe.listener(endpoint) else {
            throw Stop(
                .usage, "the bus at \(endpoint) may be on another machine; send SIGHUP to it there")
        }
        guard served > 1, UInt32(served) == claimed else {
            throw Stop(
                .failure,
                "the daemon says that it is process \(claimed), and the socket belongs to process "
                    + "\(served); send SIGHUP to the daemon by other means")
        }
        return served
    }
}
