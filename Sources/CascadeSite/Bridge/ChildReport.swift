// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// What a site knows of a site below it: its gate reports it to the bridge, which answers questions about
/// sites.
package struct ChildReport: Equatable, Sendable {
    package enum State: String, Sendable {
        /// Its link is open.
        case up
        /// Its link is open, but nothing has been heard of it lately.
        case unresponsive
        /// It had a link.
        case cut
        /// The gate refuses it.
        case refused
        /// It may have a link, but has not asked for one since the gate started.
        case absent
    }

    package var name: SiteName
    /// Its place on this site's bus.
    package var mount: NodePath
    package var state: State
    /// When the state began, by the bridge's clock; `nil` if it has not changed since the start.
    package var since: Duration?
    /// The time that a message of the link and its acknowledgement take; `nil` if none was measured.
    package var roundTrip: Duration?
    /// Its program and release, for people; `nil` if it has not told them.
    package var release: String?
    /// Its machine, for people; `nil` if it has not told it.
    package var host: String?
    /// Why its last link ended, or was refused.
    package var lastError: String?

    package init(
        name: SiteName, mount: NodePath, state: State, since: Duration? = nil,
        roundTrip: Duration? = nil, release: String? = nil, host: String? = nil,
        lastError: String? = nil
    ) {
        self.name = name
        self.mount = mount
        self.state = state
        self.since = since
        self.roundTrip = roundTrip
        self.release = release
        self.host = host
        self.lastError = lastError
    }
}
