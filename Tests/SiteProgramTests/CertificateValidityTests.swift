// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import NATS
import Testing

@testable import cascade_site

@Suite struct CertificateValidityTests {
    /// A certificate of one day.
    private static let short = """
        -----BEGIN CERTIFICATE-----
        MIIBdDCCARugAwIBAgIULBq9hibvLAXMyYE51e3oE4F9r40wCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTI2MTEyNDAxMDIwM1oXDTI2MTEyNTA0
        MDUwNlowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
        AQcDQgAEJ+QnvZXmfyALO0VeKNp982EnSyVW+O+j1JCb1yb3yCNVdSuIaG9O3NmW
        M9eAvaHyg56jpN1tIBV8o4e69UfFk6NLMEkwGgYDVR0RBBMwEYIJbG9jYWxob3N0
        hwR/AAABMAwGA1UdEwQFMAMBAf8wHQYDVR0OBBYEFDCSbBfy2c2GB0fUldR86Dvz
        7ktNMAoGCCqGSM49BAMCA0cAMEQCICTwDadX26tK8o6ukvGeMRdhQ0xi0YiLMtqa
        ukJgoQg4AiA56uG1XhrCDWbxHFXYNP7t+rbmLZ+xeGVGyFSw2VCXfA==
        -----END CERTIFICATE-----
        """
    /// A certificate of a later time, which has another form from 2050 on.
    private static let late = """
        -----BEGIN CERTIFICATE-----
        MIIBeDCCAR+gAwIBAgIUD+H8tsnt2pm0s2fKKfF1OKmGVOwwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCIYDzIwNTEwMTAxMDAwMDAwWhgPMjA1MjAx
        MDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABCfkJ72V5n8gCztFXijaffNhJ0slVvjvo9SQm9cm98gjVXUriGhv
        TtzZljPXgL2h8oOeo6TdbSAVfKOHuvVHxZOjSzBJMBoGA1UdEQQTMBGCCWxvY2Fs
        aG9zdIcEfwAAATAMBgNVHRMEBTADAQH/MB0GA1UdDgQWBBQwkmwX8tnNhgdH1JXU
        fOg78+5LTTAKBggqhkjOPQQDAgNHADBEAiBo3f7L3cBQHvoB0ckWQ7cPaBkSvEfI
        cuDgTdRyS4S1ZAIgY6XUIYm1EelM6SIDkkJM7DDxbNSwhUO9WqW0C9urBn4=
        -----END CERTIFICATE-----
        """

    @Test func `the times of each certificate of a file are read`() throws {
        let text = "# Both\n" + Self.short + "\n" + Self.late + "\n"
        let validities = CertificateValidity.all(inPEM: text)
        #expect(
            validities.map { "\($0.notBefore) \($0.notAfter)" } == [
                "2026-11-24T01:02:03.000000Z 2026-11-25T04:05:06.000000Z",
                "2051-01-01T00:00:00.000000Z 2052-01-01T00:00:00.000000Z",
            ])
        let day = try #require(validities.first)
        let contains = { (text: String) in try day.contains(#require(Timestamp(text))) }
        #expect(try !contains("2026-11-24T01:02:02.999999Z"))
        #expect(try contains("2026-11-24T01:02:03.000000Z"))
        #expect(try contains("2026-11-25T04:05:06.000000Z"))
        #expect(try !contains("2026-11-25T04:05:06.000001Z"))
    }

    @Test func `a certificate that is cut short anywhere has no times, and no file is a fault`() {
        let lines = Self.short.split(separator: "\n")
        let content = lines.dropFirst().dropLast().joined()
        for length in 0..<100 {
            let text = "\(lines[0])\n\(content.prefix(length))\n\(lines[lines.count - 1])\n"
            #expect(CertificateValidity.all(inPEM: text).isEmpty)
        }
        for text in ["", "-----BEGIN CERTIFICATE-----", "no certificate", Self.short + "x"] {
            #expect(CertificateValidity.all(inPEM: text).isEmpty)
        }
    }

    @Test func `a server with TLS is not blamed on a certificate that the site does not name`() {
        let access = SiteServerAccess(
            address: ServerAddress(host: "hq.example", port: 7222), key: "/k", trust: nil)
        #expect(
            ServerError(.tls, "handshake error").sentence(reaching: access)
                == "the server hq.example:7222 is not trusted: handshake error; the server requires TLS, "
                + "and 'trust' is none: name the file of its certificate there")
    }
}
