// SPDX-License-Identifier: Apache-2.0

package import CascadeSite
package import CascadeWire
package import NATS

/// The settings of a site, from its file `site.yaml`.
package struct SiteConfiguration: Equatable, Sendable {
    /// The site's own name.
    package var name: SiteName
    /// The sites that form one tree have one realm.
    package var realm: SiteName = "main"
    /// The endpoint of the site's own bus.
    package var bus: String
    /// The site above; `nil` for the root site.
    package var parent: SiteParent?
    /// The mount of each child.
    package var children: [SiteName: NodePath] = [:]
    /// The NATS server for the links of the children; `nil` if this site has none.
    package var server: SiteServer?
    /// The time for which a lost link keeps what it carries.
    package var patience = LinkSettings.defaultPatience
    /// The names of the messages that go up.
    package var up = CarriedNames.all
    /// The names of the publications that come down.
    package var down = CarriedNames.all
    /// The keys of the environment that are read from above.
    package var environment = CarriedNames.all
    /// The keys of the preferences that are offered above.
    package var preferences = CarriedNames.all
    package var inspection = InspectionAccess.parent
    /// The path of the socket that serves metrics; `nil` for none.
    package var metricsSocket: String?

    package init(name: SiteName, bus: String) {
        self.name = name
        self.bus = bus
    }
}

/// The site above, and how it is reached.
package struct SiteParent: Equatable, Sendable {
    package var name: SiteName
    package var way: Way

    package enum Way: Equatable, Sendable {
        /// A link over a NATS server.
        case server(SiteServerAccess)
        /// A connection to the parent's bus, on this machine or a trusted network. Such a connection does
        /// not tell the mount, so the configuration does.
        case bus(endpoint: String, mount: NodePath, key: String?, trust: String?)
    }

    package init(name: SiteName, way: Way) {
        self.name = name
        self.way = way
    }
}

/// How a NATS server is reached.
package struct SiteServerAccess: Equatable, Sendable {
    package var address: ServerAddress
    /// The path of the file with the seed of this side's key.
    package var key: String?
    /// The path of the certificates that are trusted; `nil` for a connection without TLS.
    package var trust: String?

    package init(address: ServerAddress, key: String?, trust: String?) {
        self.address = address
        self.key = key
        self.trust = trust
    }
}

/// The NATS server for the links of the children.
package struct SiteServer: Equatable, Sendable {
    /// How this site's gate reaches it.
    package var access: SiteServerAccess
    /// The address and port at which the server listens.
    package var listen: ServerAddress
    /// The address at which the children reach it; invitations contain it.
    package var publicAddress: ServerAddress?

    package init(
        access: SiteServerAccess, listen: ServerAddress, publicAddress: ServerAddress? = nil
    ) {
        self.access = access
        self.listen = listen
        self.publicAddress = publicAddress
    }
}
