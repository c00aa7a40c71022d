// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
package import CascadeInspection
import CascadeJSON

/// Lists the sites of the realm.
struct Sites: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the sites of the realm, as far as they can be seen.",
        discussion: """
            Asks this bus's site, those above it, and those below all of these. PLACE is where the \
            site stands, in the names of this bus; STATE is that of its link to the site above. \
            'tree --sites' shows their nodes, and --site of the other commands asks one. Exits with \
            3 if this bus is no site.

            Example: cascadectl sites
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Answer again after each change, until interrupted; on a terminal 'q' ends it.")
    var watch = false

    func run() async throws {
        guard watch else {
            try await bus.withBus { bus in
                try output.conclude(try await Self.document(bus))
            }
            return
        }
        let screen = try WatchScreen(output)
        try await bus.watchBus(screen.showConnection) { bus in
            // Times pass, and do not make a document another one.
            try await bus.poll(screen, identity: { ($0 as? RealmDocument)?.states ?? "" }) { _ in
                ([], try await Self.document(bus))
            }
        }
    }

    private static func document(_ bus: Bus) async throws -> RealmDocument {
        let realm = await bus.realm()
        guard let document = RealmDocument(realm) else {
            throw Stop(
                realm.isOwnSilent ? .tryAgain : .negative,
                realm.ownFailure ?? "this bus is not a site")
        }
        return document
    }
}

/// The sites of the realm.
package struct RealmDocument: Document {
    package let content: SitesDocument

    /// Returns `nil` if this bus is no site.
    package init?(_ realm: Realm) {
        guard let own = realm.own else {
            return nil
        }
        content = SitesDocument(site: own.site, path: own.path, sites: realm.sites.map(\.entry))
    }

    var json: JSONValue {
        content.json
    }

    /// The states of the sites, without the times that pass.
    var states: String {
        let states = content.sites.map { site in
            "\(site.name) \(site.place?.description ?? "") \(site.state) \(site.lastError ?? "")"
        }
        return states.joined(separator: "\n")
    }

    package var text: String {
        text(Style(isColoured: false))
    }

    func text(_ style: Style) -> String {
        var table = Table(
            ["SITE", "PLACE", "STATE", "SINCE", "ROUND TRIP", "RELEASE", "HOST", "LAST ERROR"],
            whole: [0, 2], wrapping: [7])
        for site in content.sites {
            let roundTrip = site.roundTripMicroseconds.map {
                Age.milliseconds(UInt32(clamping: $0))
            }
            let notes = [site.lastError].compactMap(\.self) + (site.notCarried ?? [])
            table.append([
                Cell(site.name, site.place?.isRoot == true ? .bold : .plain),
                Cell(site.place?.description ?? ""),
                Cell(site.state.rawValue, site.state.colour),
                Cell(site.age ?? ""),
                Cell(roundTrip ?? ""),
                Cell(site.release ?? ""),
                Cell(site.host ?? ""),
                Cell(notes.joined(separator: "; ")),
            ])
        }
        return table.text(style)
    }
}

extension DocumentWord<SiteEntry.State> {
    var colour: Style.Colour {
        switch known {
        case .up: .green
        case .unresponsive: .yellow
        case .cut, .refused: .red
        case .absent, nil: .dim
        }
    }
}
