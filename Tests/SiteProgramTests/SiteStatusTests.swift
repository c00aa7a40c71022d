// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire
import Testing

@testable import cascade_site

@Suite struct SiteStatusTests {
    private func child(_ name: SiteName, _ state: ChildReport.State) -> ChildReport {
        ChildReport(name: name, mount: "/shop/x", state: state, roundTrip: .milliseconds(3))
    }

    @Test func `the status line tells the place, the link and the sites below`() {
        var status = SiteStatus(name: "ulm", parent: "hq")
        status.isRootHeld = true
        status.state = .up
        status.roundTrip = .milliseconds(12)
        status.children = [child("a", .up), child("b", .up), child("c", .up)]
        status.isGateConnected = true
        #expect(status.line == "ulm below hq: up, 12 ms; 3 sites below")
        status.state = .cut
        status.children[0].state = .cut
        status.isGateConnected = false
        #expect(
            status.line == "ulm below hq: cut; 2 of 3 sites below, the NATS server is unreachable")
        status.state = .refused("unknown")
        status.children = []
        #expect(status.line == "ulm below hq: refused: unknown")
    }

    @Test func `the root site is alone, and says so when it has no bus`() {
        var status = SiteStatus(name: "hq", parent: nil)
        #expect(
            status.line
                == "hq: the root site; the bus is unreachable, or does not allow cascade-site to hold /"
        )
        status.isRootHeld = true
        status.children = [child("ulm", .up)]
        #expect(status.line == "hq: the root site; 1 site below")
    }

    @Test func `each family of the metrics has its samples`() {
        var status = SiteStatus(name: "ulm", parent: "hq")
        status.state = .up
        status.roundTrip = .milliseconds(2)
        status.children = [child("a", .up), child("b", .refused)]
        status.waitingCount = 3
        status.totals.ended("silent")
        status.outcomes.count(.handled, .up)
        status.outcomes.count(.handled, .up)
        status.outcomes.count(.noSubscriber, .down)
        let lines = SiteMetrics(status).text.split(separator: "\n")
        for line in [
            "cascade_site_link_up{site=\"hq\"} 1", "cascade_site_link_up{site=\"b\"} 0",
            "cascade_site_round_trip_seconds{site=\"hq\"} 0.002",
            "cascade_site_round_trip_seconds{site=\"a\"} 0.003", "cascade_site_waiting 3",
            "cascade_site_events_total{direction=\"up\",outcome=\"handled\"} 2",
            "cascade_site_events_total{direction=\"down\",outcome=\"noSubscriber\"} 1",
            "cascade_site_links_total{end=\"silent\"} 1",
            "cascade_site_children{state=\"refused\"} 1",
            "cascade_site_messages_total{part=\"gate\",direction=\"in\"} 0",
        ] {
            #expect(lines.contains(Substring(line)), "\(line)")
        }
    }
}
