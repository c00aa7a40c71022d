// SPDX-License-Identifier: Apache-2.0

import CascadeService
import CascadeSite
import CascadeWire
import Logging

/// The kinds of messages in a site's log, each with the number that finds it in the journal. A number never
/// changes and is never used again.
enum SiteLogKind: String, CaseIterable {
    case started = "3b8e1f5d7c024a6f9d1b5e0c82a74f36"
    case stopped = "a47c0d92e6b3458fb0c1d7e5396f28a1"
    case reloaded = "5d20b8f7319e4c6a8e47f1b0d3c592a8"
    case configurationRefused = "c81f6a0e25d74b39a6f3e9b70c4d18e5"
    /// The link to the parent, or one of a child, is up.
    case linked = "0f9a3c5e7d1b4826b7e0a4d8c6f21935"
    /// A link has ended, and its patience is over.
    case cut = "e2b74d180a6f4f53982cd5b1f7e03a64"
    case refused = "7a5c9e30d4f24b1e8b60f8a2c17d94b3"
    case closed = "94e6d1a8b57c4f02ae3bd0f6259c7e81"
    case server = "b05f7e2a96c34d8d81a4c3f79e6b0d52"
    /// The site's own bus.
    case home = "68d3f0b7a1e94c25bf7ce24d90a8f516"
    case metricsFailed = "d9c40e6b8f7a4a13953be1d0c2f86a70"
}

/// The log of a site.
struct SiteLog {
    private static let siteField = "CASCADE_SITE"

    private let logger: Logger
    private let site: SiteName

    init(_ logger: Logger, of site: SiteName) {
        self.logger = logger
        self.site = site
    }

    /// Logs a message.
    ///
    /// - Parameter site: The site that the message is about; by default this one.
    func log(
        _ level: Logger.Level, _ kind: SiteLogKind, _ sentence: String, about site: SiteName? = nil
    ) {
        logger.log(
            level: level, "\(sentence)",
            metadata: [
                JournalRecord.messageID: .string(kind.rawValue),
                Self.siteField: .stringConvertible(site ?? self.site),
            ])
    }

    // MARK: - Reports

    /// - Parameter end: Why the last link has ended.
    func log(_ report: BridgeReport, below parent: SiteName?, after end: String?) {
        let parent = parent?.description ?? ""
        let reason = end.map { ": \($0)" } ?? ""
        switch report {
        case .changed(.up): log(.notice, .linked, "linked to '\(parent)'")
        case .changed(.waiting):
            log(
                .notice, .closed,
                "the link to '\(parent)' is lost\(reason); waiting for another one")
        case .changed(.cut): log(.warning, .cut, "cut off from '\(parent)'\(reason)")
        case .changed(.refused(let reason)):
            log(.error, .refused, "cannot stand below '\(parent)': \(reason)")
        case .changed(.alone), .changed(.dialling), .changed(.mounting): break
        case .homeRefused(let sentence):
            log(.error, .home, "this site's bus does not let cascade-site hold /: \(sentence)")
        case .changeRefused(let sentence):
            log(.warning, .home, "a bus has refused a change of this site: \(sentence)")
        case .homeFault(let sentence):
            log(.error, .home, "this site's bus has ended the session: \(sentence)")
        case .leftOut:
            log(.debug, .closed, "a publication of '\(parent)' has a name that is not let down")
        case .lateOutcome: log(.debug, .closed, "an outcome came after its message was given up")
        }
    }

    func log(_ report: GateReport) {
        switch report {
        case .opened(let key, let host, let program, _):
            log(
                .notice, .linked,
                "linked with '\(key.child)' (\(program.escapedForDisplay()) on "
                    + "\(host.escapedForDisplay()))", about: key.child)
        case .served: break
        case .ended(let key, let end):
            log(
                .notice, .closed, "the link with '\(key.child)' has ended: \(end)", about: key.child
            )
        case .refused(let child, let refusal):
            log(
                .warning, .refused,
                "refused '\(child)' (\(refusal.code.rawValue)): \(refusal.message)", about: child)
        }
    }
}
