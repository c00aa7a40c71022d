// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Cascade

@Suite struct AssignedPlaceTests {
    @Test("A worker's only node stands where it is wanted, whatever it calls itself")
    func onlyNode() throws {
        let nodes = [Node("printer") { Node("tray") }]
        for text in ["/shop/photo/laser", "shop/photo/laser"] {
            let (placed, mount) = try AssignedPlace.place(nodes, below: "/floor", at: text)
            #expect(mount == "/shop/photo")
            #expect(placed.map(\.name) == ["laser"])
            #expect(placed.first?.children.map(\.name) == ["tray"])
        }
    }

    @Test("Several nodes stand below")
    func severalNodes() throws {
        let nodes = [Node("one"), Node("two")]
        let (placed, mount) = try AssignedPlace.place(nodes, below: "/floor", at: "shop")
        #expect(mount == "/shop")
        #expect(placed.map(\.name) == ["one", "two"])
    }

    @Test("Without a wish the program's own word counts", arguments: [nil, ""])
    func unset(text: String?) throws {
        let (placed, mount) = try AssignedPlace.place([Node("one")], below: "/floor", at: text)
        #expect(mount == "/floor")
        #expect(placed.map(\.name) == ["one"])
    }

    @Test("What is no path is refused in words that name the variable")
    func noPath() {
        #expect {
            try AssignedPlace.place([Node("one")], below: .root, at: "shop//x")
        } throws: { error in
            "\(error)".contains("CASCADE_NODE")
        }
    }
}
