// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire
import Testing

@testable import CascadeConsole

@Suite struct PlaceTests {
    // MARK: - Addresses

    @Test func `an address is a port of the loopback interface or a Unix socket`() {
        #expect(ListenAddress("127.0.0.1:0") == .loopback(port: 0))
        #expect(ListenAddress("127.0.0.1:65535") == .loopback(port: 65_535))
        #expect(ListenAddress("unix:/run/x.sock") == .unix(path: "/run/x.sock"))
        for text in [
            "", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "0.0.0.0:80",
            "localhost:80", "[::1]:80", "unix:", "tcp://127.0.0.1:80",
        ] {
            #expect(ListenAddress(text) == nil, "\(text)")
        }
    }

    @Test func `a bus has a name of its own, or its endpoint's`() {
        #expect(ConsoleOptions.Bus("ipc:///x")?.name == "ipc:///x")
        #expect(ConsoleOptions.Bus("shop.1=ipc:///x")?.name == "shop.1")
        #expect(ConsoleOptions.Bus("shop.1=ipc:///x")?.endpoint == "ipc:///x")
        #expect(ConsoleOptions.Bus("ipc:///a=b")?.endpoint == "ipc:///a=b")
        for text in ["=ipc:///x", "a b=ipc:///x", "a/b=ipc:///x", "ä=ipc:///x"] {
            #expect(ConsoleOptions.Bus(text) == nil, "\(text)")
        }
    }

    // MARK: - Peers

    @Test func `a Unix socket admits its own user, root and the proxy`() {
        let rule = PeerRule(ownID: 1_000, proxyID: 33)
        #expect(
            [1_000, 0, 33, 1_001].map { rule.admits(Peer(userID: $0)) } == [
                true, true, true, false,
            ])
        #expect(rule.admits(.loopback))
        #expect(!PeerRule(ownID: 1_000, proxyID: nil).admits(Peer(userID: 33)))
    }

    @Test func `a link is for the own user and root alone`() {
        let rule = PeerRule(ownID: 1_000, proxyID: 33)
        #expect(rule.isOwner(Peer(userID: 1_000)))
        #expect(rule.isOwner(Peer(userID: 0)))
        #expect(!rule.isOwner(Peer(userID: 33)))
        #expect(!rule.isOwner(.loopback))
    }

    @Test func `only the proxy is believed about the person behind a request`() {
        #expect(PeerRule(ownID: 1_000, proxyID: 33).isProxy(Peer(userID: 33)))
        #expect(!PeerRule(ownID: 1_000, proxyID: 33).isProxy(Peer(userID: 1_000)))
        #expect(!PeerRule(ownID: 1_000, proxyID: 33).isProxy(.loopback))
        #expect(!PeerRule(ownID: 1_000, proxyID: nil).isProxy(.loopback))
    }

    // MARK: - Several buses

    @Test func `a summary says since when a bus is away, and no numbers before the first`() {
        let view = BusView(epoch: 1, now: Timestamp(microseconds: 5_000_000))
        #expect(
            view.summary(named: "shop")
                == .members([
                    "name": "shop", "bus": "", "state": "away", "since": .integer(5_000),
                ]))
    }
}
