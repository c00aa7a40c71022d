// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// How a bridge is set up.
package struct BridgeConfiguration: Sendable {
    /// The site's own name.
    package let name: SiteName
    /// The site above; `nil` for the root site.
    package let parent: SiteName?
    /// The time for which a lost link, or a lost connection to the site's own bus, keeps what it carries.
    package var patience = LinkSettings.defaultPatience
    /// The names of the events, errors, requests and cascades that are let up.
    package var up = CarriedNames.all
    /// The names of the publications that are let down.
    package var down = CarriedNames.all
    /// The keys of the environment whose values are let down. Keys that begin with `site.` never are.
    package var environment = CarriedNames.all
    /// The keys of the preferences that are let up.
    package var preferences = CarriedNames.all
    /// Who may look at this site.
    package var inspect = InspectionAccess.parent
    /// The secrets of the sessions on the site's own bus and on the parent's.
    package var homeSecret: SessionSecret
    package var aboveSecret: SessionSecret
    /// The program and its release, for people.
    package var program: String
    package var processID: UInt32
    /// The name of the machine, for people; `nil` if it is not told.
    package var host: String?

    package init(
        name: SiteName, parent: SiteName?, homeSecret: SessionSecret, aboveSecret: SessionSecret,
        program: String, processID: UInt32
    ) {
        self.name = name
        self.parent = parent
        self.homeSecret = homeSecret
        self.aboveSecret = aboveSecret
        self.program = program
        self.processID = processID
    }
}

/// What is known of a link when it opens.
package struct LinkTerms: Equatable, Sendable {
    /// The place of the parent's bus that the site holds.
    package var mount: NodePath
    /// The largest frame, in bytes.
    package var maximum: Int
    /// The time that a message and its answer take. ``Bridge/linkMeasured(roundTrip:at:into:)`` replaces it.
    package var roundTrip: Duration
    /// The parent's program and release, and its machine, for people; `nil` if they are not told.
    package var release: String?
    package var host: String?

    package init(
        mount: NodePath, maximum: Int = .max, roundTrip: Duration = .zero, release: String? = nil,
        host: String? = nil
    ) {
        self.mount = mount
        self.maximum = maximum
        self.roundTrip = roundTrip
        self.release = release
        self.host = host
    }
}

/// The state of a bridge's connection to the site above.
package enum BridgeState: Equatable, Sendable {
    /// Nothing is above: this is the root site.
    case alone
    /// No link has been up so far, and one is being opened.
    case dialling
    /// The link is open; the session attaches the mount.
    case mounting
    case up
    /// The link is lost, and the patience runs.
    case waiting
    /// The patience is over.
    case cut
    /// The site cannot stand below its parent, for this reason.
    case refused(String)
}

/// The state of a bridge that was last reported.
struct ReportedState: Sendable {
    private var state = BridgeState.alone
    /// When it began; `nil` if it has never changed.
    private(set) var since: Duration?

    /// Replaces the state. Returns whether it has changed.
    mutating func update(_ state: BridgeState, at now: Duration) -> Bool {
        guard state != self.state else {
            return false
        }
        self.state = state
        since = now
        return true
    }
}

/// An action that the owner of a ``Bridge`` must perform, in order.
package enum BridgeEffect: Sendable {
    /// Send a message on the connection to the site's own bus.
    case sendHome([UInt8])
    /// Close the connection to the site's own bus, and open a new one; ``Bridge/homeConnected(at:into:)``
    /// follows. The owner chooses the pause.
    case connectHome
    /// Open a link. ``Bridge/linkOpened(_:at:into:)``, `linkEnded` or `linkRefused` follows.
    case dial
    /// Send a frame on the link.
    case sendAbove([UInt8])
    /// Close the link, for this reason. Nothing of it is to be reported.
    case closeLink(String)
    case report(BridgeReport)
}

/// An event for the log and the metrics.
package enum BridgeReport: Equatable, Sendable {
    case changed(BridgeState)
    /// The site's own bus does not let the bridge hold the root.
    case homeRefused(String)
    /// The parent's bus refuses a change of the mount, or the site's own bus one of the root.
    case changeRefused(String)
    /// The daemon of the site's own bus has sent an invalid message.
    case homeFault(String)
    /// An outcome or a verdict of a message that is no longer waited for.
    case lateOutcome
    /// A publication whose name the site does not let down.
    case leftOut
}
