// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import NATS

/// Dials a NATS server step by step, up to the permissions of a key.
struct ServerCheck {
    let access: SiteServerAccess
    let secret: SiteSecret
    /// What the key may subscribe to.
    let pattern: String

    /// Adds the steps to a report.
    func run(into report: inout CheckReport) {
        if access.trust == nil {
            report.skipped.insert(.tls)
        }
        do throws(ServerError) {
            let key = try key()
            let inbox = try Inbox()
            let connection = try ServerConnection(
                ConnectionSettings(
                    server: access.address, key: key, trustFile: access.trust,
                    name: "cascade-site check"), inbox: inbox)
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

    private func key() throws(ServerError) -> UserKey {
        do throws(SiteSecretError) {
            return try secret.userKey(configured: access.key)
        } catch {
            throw ServerError(.key, error.description)
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
