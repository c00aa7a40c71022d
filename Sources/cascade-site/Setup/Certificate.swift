// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import Glibc
import NATS

/// A self-signed certificate and its secret key, in PEM. The children of a site trust it, and nothing
/// else, so no authority is needed.
struct Certificate {
    let text: String
    let key: String

    private static let days = 7_300

    /// Creates a certificate for a server's address and for the one by which its own site dials, by
    /// `openssl`.
    init(for address: ServerAddress, _ own: ServerAddress, of site: SiteName) throws(Stop) {
        let folder = try TemporaryFolder()
        let (file, keyFile) = ("\(folder.path)/certificate.pem", "\(folder.path)/key.pem")
        let result: ProgramResult
        do throws(ProgramError) {
            result = try ProgramResult(running: [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes", "-days", "\(Self.days)", "-subj", "/CN=\(site)", "-addext",
                "subjectAltName=\(Self.names(of: address, own))",
                "-keyout", keyFile, "-out", file,
            ])
        } catch {
            throw Stop(
                .unavailable,
                "cannot create a certificate: \(error); install openssl: apt-get install openssl")
        }
        guard result.status == 0, let text = try SetupFolder.text(of: file),
            let key = try SetupFolder.text(of: keyFile)
        else {
            throw Stop(
                .failure, "cannot create a certificate: openssl failed: \(result.lastLine)")
        }
        self.text = text
        self.key = key
    }

    /// The names in the certificate: both addresses, and those of this machine.
    static func names(of address: ServerAddress, _ own: ServerAddress) -> String {
        var names: [String] = []
        for host in [address.host, own.host, "localhost", "127.0.0.1"] {
            let name = isNumeric(host) ? "IP:\(host)" : "DNS:\(host)"
            if !names.contains(name) {
                names.append(name)
            }
        }
        return names.joined(separator: ",")
    }

    /// Whether a host is an IPv4 or IPv6 address.
    private static func isNumeric(_ host: String) -> Bool {
        var bytes = in6_addr()
        return inet_pton(AF_INET, host, &bytes) == 1 || inet_pton(AF_INET6, host, &bytes) == 1
    }
}
