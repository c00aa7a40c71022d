// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Foundation
import Testing

/// A self-signed certificate for 127.0.0.1, valid in a time of the test's choice.
@FaultThread
struct DatedCertificate {
    let file: String
    let key: String
    let notBefore: Timestamp
    let notAfter: Timestamp

    /// Creates a certificate in a directory of its own within another one.
    ///
    /// - Parameter days: The days from now at which it becomes valid, and at which it expires.
    init(in parent: String, days: (from: Int, to: Int)) throws {
        let now = Int64(Date().timeIntervalSince1970) * 1_000_000
        let time = { (days: Int) in
            Timestamp(microseconds: now + Int64(days) * 86_400_000_000)
        }
        notBefore = time(days.from)
        notAfter = time(days.to)
        let directory = "\(parent)/\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        file = directory + "/certificate.pem"
        key = directory + "/key.pem"
        let configuration = """
            [ca]
            default_ca = own
            [own]
            new_certs_dir = \(directory)
            database = \(directory)/index.txt
            rand_serial = yes
            policy = policy
            default_md = sha256
            x509_extensions = extensions
            [policy]
            commonName = supplied
            [extensions]
            subjectAltName = IP:127.0.0.1
            basicConstraints = CA:TRUE
            [req]
            distinguished_name = name
            [name]

            """
        let settings = directory + "/openssl.conf"
        try Data(configuration.utf8).write(to: URL(filePath: settings))
        try Data().write(to: URL(filePath: directory + "/index.txt"))
        try Self.run([
            "req", "-config", settings, "-new", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=hq", "-keyout", key, "-out",
            directory + "/request.pem",
        ])
        // Only this command takes both times.
        try Self.run([
            "ca", "-config", settings, "-selfsign", "-batch", "-notext", "-keyfile", key, "-in",
            directory + "/request.pem", "-out", file, "-startdate", Self.digits(notBefore),
            "-enddate", Self.digits(notAfter),
        ])
    }

    private static func run(_ arguments: [String]) throws {
        let ending = try SpawnedProgram("/usr/bin/openssl", arguments, bus: "").end()
        try #require(ending.exitCode == 0, "\(ending.diagnostics.text)")
    }

    /// A time as `YYYYMMDDHHMMSSZ`.
    private static func digits(_ time: Timestamp) -> String {
        time.description.prefix(19).filter(\.isNumber) + "Z"
    }
}
