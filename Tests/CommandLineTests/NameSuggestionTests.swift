// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing
import cascadectl

@Suite struct NameSuggestionTests {
    private let nodes = [
        Self.node("/"),
        Self.node("/shop", [.handle: "OrderPlaced", .observe: "Seen"]),
        Self.node("/shop/till", [.respond: "Price"]),
        Self.node("/lamp", subscriptions: ["Night"]),
    ]

    private static func node(
        _ path: NodePath, _ responders: KeyValuePairs<ResponderKind, EventName> = [:],
        subscriptions: [EventName] = []
    ) -> NodeSnapshot {
        NodeSnapshot(
            path: path, state: .live, isActive: true, ageMicroseconds: 0, childCount: 0,
            responders: responders.map { ResponderDeclaration($0.key, $0.value) },
            subscriptions: subscriptions)
    }

    private func unhandled(
        _ name: EventName, _ lane: Lane = .event, from path: NodePath = .root
    ) -> String? {
        NameSuggestion(unhandled: name, lane, from: path, nodes: nodes)?.sentence
    }

    @Test func `A handler elsewhere is named with the option that reaches it`() {
        #expect(unhandled("OrderPlaced") == "'/shop' handles 'OrderPlaced': use --from /shop")
        #expect(
            unhandled("Price", .request, from: "/shop")
                == "'/shop/till' answers 'Price': use --from /shop/till")
    }

    @Test func `Several handlers elsewhere are named, the first with the option`() {
        let nodes = ["/a", "/b", "/c", "/d"].map { Self.node($0, [.handle: "Save"]) }
        #expect(
            NameSuggestion(unhandled: "Save", .event, from: .root, nodes: nodes)?.sentence
                == "'/a', '/b', '/c' (and 1 more) handle 'Save': use --from /a")
    }

    @Test func `A misspelt name gets the nearest with a handler, and where it is handled`() {
        #expect(
            unhandled("orderplaced")
                == "no node handles 'orderplaced'; did you mean 'OrderPlaced' with --from /shop?")
        #expect(
            unhandled("OrderPlacd", from: "/shop/till")
                == "no node handles 'OrderPlacd'; did you mean 'OrderPlaced'?")
    }

    @Test func `A handler that was asked leads to the dry run`() {
        #expect(
            unhandled("OrderPlaced", from: "/shop/till")
                == "'cascadectl route OrderPlaced --from /shop/till' shows why")
        #expect(
            NameSuggestion(unrouted: "OrderPlaced", .event, from: "/shop/till", nodes: nodes)
                == nil)
    }

    @Test func `An observer takes nothing, and a name of another lane is not suggested`() {
        #expect(unhandled("Seen") == nil)
        #expect(unhandled("OrderPlaced", .error) == nil)
        #expect(unhandled("Unheard") == nil)
    }

    @Test func `A publication without a subscriber names the subscriber elsewhere`() {
        #expect(
            NameSuggestion(unsubscribed: "Night", at: "/shop", nodes: nodes)?.sentence
                == "'/lamp' subscribes to 'Night': use --at /lamp")
        #expect(
            NameSuggestion(unsubscribed: "Nihgt", at: .root, nodes: nodes)?.sentence
                == "no node subscribes to 'Nihgt'; did you mean 'Night'?")
        #expect(NameSuggestion(unsubscribed: "Night", at: .root, nodes: nodes) == nil)
    }

    @Test func `A path gets the nearest spelling, else a node of its name elsewhere`() {
        let paths: [NodePath] = ["/", "/kitchen", "/kitchen/oven", "/office"]
        #expect(PathSuggestion.nearest(to: "/kichen", among: paths) == ["/kitchen"])
        #expect(PathSuggestion.nearest(to: "/oven", among: paths) == ["/kitchen/oven"])
        #expect(PathSuggestion.nearest(to: "/garage", among: paths) == [])
    }
}
