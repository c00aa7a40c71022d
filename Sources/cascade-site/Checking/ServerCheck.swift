// SPDX-License-Identifier: Apache-2.0

import CascadeService
import CascadeSite
import NATS

/// Dials a NATS server step by step, up to the permissions of a key.
struct ServerCheck {
    let access: SiteServerAccess
    let secret: SiteSecret
    /// What the key may subscribe to.
    let pattern: String

    private static let trustByteCountMax = 1 << 20

    /// Adds the steps to a report.
    func run(into report: inout CheckReport) {
        guard let key = key(into: &report) else {
            return
        }
        do throws(ServerError) {
            let connection = try ServerConnection(
                ConnectionSettings(
                    server: access.address, key: key, trustFile: access.trust,
                    name: "cascade-site check"))
            defer { connection.close() }
            report.passed(.key)
            try connection.subscribe(to: pattern)
            try connection.roundTrip()
            try connection.checkPermissions()
            report.passed(.permission)
        } catch {
            report.failed(CheckStep(error.step), error.sentence(reaching: access))
        }
    }

    /// Returns the key, if the files of this machine that dialling needs can be read.
    private func key(into report: inout CheckReport) -> UserKey? {
        if let trust = access.trust {
            do throws(TextFileError) {
                _ = try TextFile.readBytes(trust, byteCountMax: Self.trustByteCountMax)
            } catch {
                report.failedBeforeDialling(
                    .tls, "cannot read the certificates in '\(trust)': \(error.reason)")
                return nil
            }
        } else {
            report.skipped.insert(.tls)
        }
        do throws(SiteSecretError) {
            return try secret.userKey(configured: access.key)
        } catch {
            report.failedBeforeDialling(.key, error.description)
            return nil
        }
    }
}

extension CheckStep {
    /// The step of dialling at which a connection has failed.
    init(_ step: ServerError.Step) {
        self =
            switch step {
            case .name: .name
            case .tcp, .connection, .library: .tcp
            case .tls: .tls
            case .key: .key
            case .permission: .permission
            }
    }
}
