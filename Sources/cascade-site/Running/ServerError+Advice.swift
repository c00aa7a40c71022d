// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import NATS

extension ServerError {
    /// Returns a sentence with the reason of a failed connection to a server, and what to do about it.
    func sentence(reaching access: SiteServerAccess) -> String {
        let reason = reason.escapedForDisplay(limit: 512)
        let server = "the server \(access.address)"
        return switch step {
        case .name: "\(reason); is the address right, and can this machine resolve names?"
        case .tcp: "\(reason); is \(server) running, and reachable from here?"
        case .tls:
            "\(server) is not trusted: \(reason); \(Self.advice(about: access.trust, at: .now))"
        case .key:
            "\(server) cannot be used with this site's key: \(reason); the server reads the keys that it "
                + "lets in at its start and at a reload"
        case .permission:
            "\(server) does not permit this site its subjects: \(reason); the realm or a name in "
                + "site.yaml may be wrong, or else the users of the server: 'cascade-site permissions' at "
                + "the parent prints what they need"
        case .connection: "the connection to \(server) has ended: \(reason)"
        case .library: "\(server) cannot be reached: \(reason)"
        }
    }

    /// Whether the next attempt fails too, until an administrator changes the key, permissions or
    /// certificate.
    var isRefusal: Bool {
        switch step {
        case .key, .permission, .tls: true
        case .name, .tcp, .connection, .library: false
        }
    }

    /// Returns what a certificate must meet to be trusted. The clock of this machine decides whether it is
    /// valid.
    private static func advice(about trust: String?, at now: Timestamp) -> String {
        guard let trust else {
            return
                "the server requires TLS, and 'trust' is none: name the file of its certificate there"
        }
        let text = (try? SetupFolder.text(of: trust)) ?? nil
        let validities = CertificateValidity.all(inPEM: text ?? "")
        if let wrong = validities.first(where: { !$0.contains(now) }) {
            return
                "the certificate in \(trust) is valid from \(wrong.notBefore) to \(wrong.notAfter), and "
                + "the time of this machine is \(now): set the clock, or create another certificate"
        }
        return
            "it needs a certificate that \(trust) signs, valid at the time of this machine, \(now)"
    }
}
