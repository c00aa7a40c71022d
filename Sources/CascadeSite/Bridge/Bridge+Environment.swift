// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// The environment on its way down: what a node at the mount reads, `/` sets at home.
extension Bridge {
    /// Asks for the values at the mount. The session asks again on each link.
    mutating func askForValues(at mount: NodePath) {
        askAgain(\.values, .environment(path: mount, key: nil))
    }

    /// Asks for the values that an earlier bridge has left at `/`: they stand until the parent's are known.
    mutating func askForFormerValues() {
        guard homeQueries.formerValues.request == nil else {
            return
        }
        let request = nextRequest()
        homeQueries.formerValues.request = request
        home.send(
            Query(request: request, .environment(path: .root, key: nil)), into: &homeEffects)
    }

    mutating func takeFormerValues(_ message: [UInt8]) {
        homeQueries.formerValues.isAnswered = true
        if let answer = try? DocumentAnswer(parsing: message),
            let values = try? ValuesAbove(former: answer.document)
        {
            environment.restore(values)
        }
    }

    /// Takes the values at the mount: all of one change become one change of `/`.
    mutating func applyValues(
        _ message: [UInt8], at now: Duration, into effects: inout [BridgeEffect]
    ) {
        guard let paths, let answer = try? DocumentAnswer(parsing: message),
            let values = try? ValuesAbove(environment: answer.document, paths)
        else {
            lose(closing: "the answer about the values above is not valid", at: now, into: &effects)
            return
        }
        guard standsBelow(values.sites, at: now, into: &effects) else {
            return
        }
        if environment.update(values) {
            declareRoot()
        }
    }

    /// The largest number of sites from the root site down to one of them.
    private static let depthMax = 16

    /// Takes the names of the sites above. Returns whether this site may stand below them: they are names, it
    /// is not among them, and they are not too many. A list of any size would make the value of `site.path`
    /// too long, with which the site's own bus refuses each declaration of `/`.
    private mutating func standsBelow(
        _ sites: [String], at now: Duration, into effects: inout [BridgeEffect]
    ) -> Bool {
        guard sites.count < Self.depthMax else {
            refuse(
                "\(sites.count) sites stand above this one, and a realm is at most \(Self.depthMax) "
                    + "sites deep",
                at: now, into: &effects)
            return false
        }
        do throws(SiteNameError) {
            for site in sites {
                _ = try SiteName(site)
            }
        } catch {
            refuse(
                "the value of 'site.path' above has a wrong name: \(error)", at: now, into: &effects
            )
            return false
        }
        guard !sites.contains(configuration.name.description) else {
            refuse(
                "the site would stand below itself: \(sites.joined(separator: ", "))",
                at: now, into: &effects)
            return false
        }
        aboveQueries.values.isAnswered = true
        environment.sites = sites
        return true
    }

    /// The link cannot carry the values at the mount. Those that are known stand, marked stale, until it can.
    /// The names of the sites above are asked for alone.
    mutating func valuesAreTooLong(byteCount: Int) {
        let sentence =
            "values of '\(parentName)' are not read: together they have \(byteCount) bytes, and the link "
            + "carries at most \(link.terms?.maximum ?? 0)"
        if environment.leaveUnknown(sentence) {
            declareRoot()
        }
        if !aboveQueries.values.isAnswered, let paths {
            let request = nextRequest()
            aboveQueries.sitePath = request
            above.send(
                Query(
                    request: request,
                    .environment(path: paths.mount, key: SitePath.key)),
                into: &aboveEffects)
        }
    }

    mutating func applySitePath(
        _ message: [UInt8], at now: Duration, into effects: inout [BridgeEffect]
    ) {
        _ = standsBelow(SitePath.names(inAnswer: message), at: now, into: &effects)
    }

    /// The parent lets the site read no values.
    mutating func valuesAreDenied(_ refused: Refused) {
        aboveQueries.values.isAnswered = true
        environment.deny("values of '\(parentName)' are not read: \(refused.sentence)")
        declareRoot()
    }

    var parentName: String {
        configuration.parent?.description ?? ""
    }
}
