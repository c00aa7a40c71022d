// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import Subprocess

/// A check of the bus's site: its bridge, and its links to other sites.
struct SiteExamination: Sendable {
    let bus: Bus

    private static let unit = "cascade-site.service"
    private static let checkName = "site"
    /// The limit that daemons have which sites can use.
    private static let limitName = "sites"

    /// Returns the findings; none if the bus is no site, and is not meant to be one.
    func diagnoses() async -> [Diagnosis] {
        do {
            guard try await bus.link.isSite() else {
                return await isUnitActive ? [missing] : []
            }
            let realm = await bus.realm()
            guard let own = realm.own else {
                let reason = realm.ownFailure ?? "no answer"
                return [
                    Diagnosis(
                        Self.checkName, .bad, "its bridge holds '/', and does not answer: \(reason)"
                    )
                ]
            }
            return Self.diagnoses(own, realm.twinFindings)
        } catch {
            return [Diagnosis(Self.checkName, .unknown, Stop(error)?.message ?? "\(error)")]
        }
    }

    static func diagnoses(_ own: SitesDocument, _ twins: [CheckFinding]) -> [Diagnosis] {
        let findings = (own.findings + twins).map { finding in
            Diagnosis(
                checkName, finding.kind == "notCarried" ? .doubtful : .bad,
                "\(finding.kind): \(finding.message)")
        }
        return findings.isEmpty ? [Diagnosis(checkName, .good, own.summary)] : findings
    }

    /// The finding that the unit runs and does not hold the bus's root.
    private var missing: Diagnosis {
        let isOld = !bus.welcome.limits.contains { $0.name == Self.limitName }
        return Diagnosis(
            Self.checkName, .bad,
            isOld
                ? "\(Self.unit) runs, but the daemon, \(bus.welcome.release), is too old for sites: "
                    + "upgrade it and restart it"
                : "\(Self.unit) runs, but does not hold '/': see its log: journalctl -u \(Self.unit)"
        )
    }

    private var isUnitActive: Bool {
        get async {
            let result = try? await Subprocess.run(
                .name("systemctl"), arguments: ["is-active", "--quiet", Self.unit],
                output: .discarded, error: .discarded)
            return result?.terminationStatus == .exited(0)
        }
    }
}

extension SitesDocument {
    /// The link of the site that answers and the number of sites below, as words.
    fileprivate var summary: String {
        let below = sites.count { $0.parent == site }
        let count = "\(below) \(below == 1 ? "site" : "sites") below"
        guard let itself, let parent = itself.parent else {
            return "\(site), the root site; \(count)"
        }
        let time = itself.roundTripMicroseconds.map {
            ", \(Age.milliseconds(UInt32(clamping: $0)))"
        }
        return "\(site) below \(parent): \(itself.state)\(time ?? ""); \(count)"
    }
}
