// SPDX-License-Identifier: Apache-2.0

import CascadeService
import CascadeSite
import CascadeWire
import ZeroMQ

/// The metrics of a site in the text format of Prometheus.
struct SiteMetrics {
    private(set) var text = ""

    init(_ status: SiteStatus) {
        family("link_up", "gauge", "Whether the link to or from a site is up.")
        if let parent = status.parent {
            sample("link_up", ["site": "\(parent)"], status.state == .up ? 1 : 0)
        }
        for child in status.children {
            sample("link_up", ["site": "\(child.name)"], child.state == .up ? 1 : 0)
        }
        roundTrips(status)
        family("links_total", "counter", "Links that have ended, by the kind of their end.")
        for (end, count) in status.totals.linkEnds.sorted(by: { $0.key < $1.key }) {
            sample("links_total", ["end": end], count)
        }
        traffic(status)
        outcomes(status.outcomes)
        family("waiting", "gauge", "Messages that wait to go up.")
        sample("waiting", [:], UInt64(status.waitingCount))
        family("under_way", "gauge", "Messages that are under way above.")
        sample("under_way", [:], UInt64(status.underWayCount))
        family("children", "gauge", "Configured children by their state.")
        for state in [ChildReport.State.up, .unresponsive, .cut, .refused, .absent] {
            let count = status.children.count { $0.state == state }
            sample("children", ["state": state.rawValue], UInt64(count))
        }
        ignored(status)
    }

    private mutating func roundTrips(_ status: SiteStatus) {
        family(
            "round_trip_seconds", "gauge", "Time of a message to a site and its answer.")
        if let parent = status.parent, let roundTrip = status.roundTrip {
            seconds("round_trip_seconds", parent, roundTrip)
        }
        for child in status.children {
            if let roundTrip = child.roundTrip, child.state == .up {
                seconds("round_trip_seconds", child.name, roundTrip)
            }
        }
    }

    private mutating func traffic(_ status: SiteStatus) {
        let traffic = [("uplink", status.uplinkTraffic), ("gate", status.gateTraffic)]
        family("messages_total", "counter", "Messages of links.")
        for (part, count) in traffic {
            sample("messages_total", ["part": part, "direction": "in"], count.receivedMessageCount)
            sample("messages_total", ["part": part, "direction": "out"], count.sentMessageCount)
        }
        family("bytes_total", "counter", "Bytes of messages of links.")
        for (part, count) in traffic {
            sample("bytes_total", ["part": part, "direction": "in"], count.receivedByteCount)
            sample("bytes_total", ["part": part, "direction": "out"], count.sentByteCount)
        }
    }

    private mutating func outcomes(_ outcomes: CrossingOutcomes) {
        family(
            "events_total", "counter",
            "Messages that have crossed the border, by their outcomes beyond it.")
        for direction in CrossingOutcomes.Direction.allCases {
            for (outcome, count) in outcomes[direction].all {
                sample(
                    "events_total",
                    ["direction": direction.rawValue, "outcome": outcome.name], count)
            }
        }
    }

    private mutating func ignored(_ status: SiteStatus) {
        family("ignored_total", "counter", "Messages without effect, by the reason.")
        let counters = status.gateCounters
        let reasons: [(String, UInt64)] = [
            ("floodedOpening", counters.floodedOpenings),
            ("lateOutcome", status.totals.lateOutcomeCount),
            ("leftOut", status.totals.leftOutCount),
            ("malformedOpening", counters.malformedOpenings),
            ("otherLink", status.uplinkTraffic.ignoredCount),
            ("refusedChange", status.totals.refusedChangeCount),
            ("staleOpening", counters.staleOpenings),
            ("unknownLink", counters.unknownLinks),
        ]
        for (reason, count) in reasons {
            sample("ignored_total", ["reason": reason], count)
        }
    }

    // MARK: - Lines

    private mutating func family(_ name: String, _ kind: String, _ meaning: String) {
        text += "# HELP cascade_site_\(name) \(meaning)\n# TYPE cascade_site_\(name) \(kind)\n"
    }

    /// Names of sites and the labels of this file contain no character that needs an escape.
    private mutating func sample(
        _ name: String, _ labels: KeyValuePairs<String, String>, _ value: UInt64
    ) {
        line(name, labels, "\(value)")
    }

    private mutating func seconds(_ name: String, _ site: SiteName, _ duration: Duration) {
        line(name, ["site": "\(site)"], "\(duration / .seconds(1))")
    }

    private mutating func line(
        _ name: String, _ labels: KeyValuePairs<String, String>, _ value: String
    ) {
        let inside = labels.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",")
        text += "cascade_site_\(name)\(inside.isEmpty ? "" : "{\(inside)}") \(value)\n"
    }
}

/// Serves the metrics of a site at a socket, from the status that its event loop publishes.
final class SiteMetricsServer: Sendable {
    private let lock = Lock()
    // Only read and changed under the lock.
    private nonisolated(unsafe) var status: SiteStatus
    private let server: MetricsServer

    /// Opens the socket and serves until ``stop()``. Throws the reason if that fails.
    init(path: String, _ status: SiteStatus) throws {
        self.status = status
        server = try MetricsServer(MetricsSocket(path: path))
        let server = server
        Task.detached { [weak self] in
            await server.serve { self?.text ?? "" }
        }
    }

    func publish(_ status: SiteStatus) {
        lock.withLock { self.status = status }
    }

    func stop() {
        server.stop()
    }

    private var text: String {
        SiteMetrics(lock.withLock { status }).text
    }
}
