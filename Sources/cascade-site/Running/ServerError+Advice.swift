// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Glibc
import NATS

extension ServerError {
    /// What has failed on the way to a server, and what to do about it, as one sentence.
    func sentence(reaching access: SiteServerAccess) -> String {
        let reason = reason.escapedForDisplay(limit: 512)
        let server = "the server \(access.address)"
        return switch step {
        case .name, .tcp: "\(reason); is \(server) running, and reachable from here?"
        case .tls:
            "\(server) is not trusted: \(reason); it needs a certificate that \(access.trust ?? "none") "
                + "signs, valid at the time of this machine, \(Self.time)"
        case .key: "\(server) does not accept this site's key: \(reason)"
        case .permission:
            "\(server) does not permit this site its subjects: \(reason); compare 'cascade-site "
                + "permissions'"
        case .connection: "the connection to \(server) has ended: \(reason)"
        case .library: "\(server) cannot be reached: \(reason)"
        }
    }

    /// Whether an attempt soon after this one fails again, because somebody has to change something.
    var isRefusal: Bool {
        switch step {
        case .key, .permission, .tls: true
        case .name, .tcp, .connection, .library: false
        }
    }

    /// The time of this machine, which decides about certificates.
    private static var time: String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Timestamp(microseconds: Int64(now.tv_sec) * 1_000_000).description
    }
}
