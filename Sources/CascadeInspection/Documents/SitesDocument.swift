// SPDX-License-Identifier: Apache-2.0

public import CascadeWire

/// The sites that one site knows: itself, the one above it, and those below it.
public struct SitesDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/sites"

    public private(set) var schema = DocumentSchema<Self>()
    /// The name of the site that answers.
    public var site: String
    /// The names of the sites from the root site down to this one.
    public var path: [String]
    public var sites: [SiteEntry]

    public init(site: String, path: [String], sites: [SiteEntry]) {
        self.site = site
        self.path = path
        self.sites = sites
    }
}

/// A site, and its link to the site above it.
public struct SiteEntry: Codable, Hashable, Sendable {
    /// The states of a site's link to the site above it. The root site is up.
    public enum State: String, NamedCase {
        case up
        /// Nothing has been heard over the link lately.
        case unresponsive
        case cut
        /// The site above does not take it, or its own bus cannot stand there.
        case refused
        /// It is configured at the site above, which has not heard of it since its start.
        case absent
    }

    public var name: String
    /// The name of the site above; `nil` for the root site.
    public var parent: String?
    /// Where the site is asked, in the names of the bus that was asked: `/` for its own site, the mount of a
    /// site below, and a foreign place for one above.
    public var place: NodePath?
    /// The node at which it stands, in the names of the site above it.
    public var mount: NodePath?
    public var state: DocumentWord<State>
    /// The time since the state began.
    public var ageSeconds: Int64?
    public var roundTripMicroseconds: Int64?
    /// The program and its release.
    public var release: String?
    /// The machine.
    public var host: String?
    /// Why the last link ended, or was refused.
    public var lastError: String?
    /// What does not cross to the site above, or from it, as sentences.
    public var notCarried: [String]?

    public init(
        name: String, parent: String? = nil, place: NodePath? = nil, mount: NodePath? = nil,
        state: DocumentWord<State>
    ) {
        self.name = name
        self.parent = parent
        self.place = place
        self.mount = mount
        self.state = state
    }
}
