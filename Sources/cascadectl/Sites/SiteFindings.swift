// SPDX-License-Identifier: Apache-2.0

import Cascade
package import CascadeInspection
import CascadeJSON
import CascadeWire

extension SitesDocument {
    /// The findings about the links of a site, and about what does not cross them.
    package var findings: [CheckFinding] {
        var found: [CheckFinding] = []
        for site in sites {
            let isItself = site == itself
            // The entry of the site above is about the same link as the site's own.
            guard isItself || site.parent == self.site else {
                continue
            }
            let path = isItself ? NodePath.root : site.mount ?? .root
            let name = isItself ? site.parent ?? "" : site.name
            let other = "the site '\(name)'" + (isItself ? " above" : "")
            let time = site.age.map { " for \($0)" } ?? ""
            let reason = site.lastError.map { ": \($0)" } ?? ""
            switch site.state.known {
            case .cut:
                found.append(
                    CheckFinding(
                        kind: "siteCut", path: path, name: name,
                        message: "the link to \(other) has been cut\(time)\(reason)"))
            case .refused:
                found.append(
                    CheckFinding(
                        kind: "siteRefused", path: path, name: name,
                        message: isItself
                            ? "\(other) has refused this one\(time)\(reason)"
                            : "\(other) has been refused\(time)\(reason)"))
            case .up, .unresponsive, .absent, nil: break
            }
            for sentence in site.notCarried ?? [] {
                found.append(
                    CheckFinding(
                        kind: "notCarried", path: path, name: site.name, message: sentence))
            }
        }
        return found
    }
}

extension Realm {
    /// The findings about sites of one name.
    package var twinFindings: [CheckFinding] {
        twins.map { name, places in
            let listed = places.map { "'\($0)'" }.joined(separator: " and ")
            return CheckFinding(
                kind: "siteTwin", path: places[0], name: name,
                message: "\(places.count) sites are named '\(name)': \(listed); rename all but "
                    + "one, or remove those that are gone by 'cascade-site remove' at their parents"
            )
        }
    }
}

extension Bus {
    /// Returns the findings about the sites around the one that is asked; none if it is no site.
    func siteFindings() async throws -> [CheckFinding] {
        if let asked {
            return try await sites(knownAt: asked.place).findings
        }
        guard try await link.isSite() else {
            return []
        }
        let realm = await realm()
        guard let own = realm.own else {
            let message = realm.ownFailure ?? "this bus's own site does not answer"
            return [CheckFinding(kind: "siteCut", path: .root, name: "", message: message)]
        }
        return own.findings + realm.twinFindings
    }

    /// Returns the document of an answer about the declarations, with further findings.
    func adding(
        _ findings: [CheckFinding], to answer: [UInt8]
    ) throws -> ReceivedDocument<CheckDocument> {
        let received = try ReceivedDocument<CheckDocument>(parsing: answer)
        guard !findings.isEmpty else {
            return received
        }
        let told = received.json["findings"]?.elements ?? []
        let all = try told + findings.map { try JSONValue(encoding: $0) }
        let members = received.json.members.map { member in
            member.key == "findings"
                ? JSONValue.Member(key: member.key, value: .array(all)) : member
        }
        return try ReceivedDocument(json: .object(members))
    }
}
