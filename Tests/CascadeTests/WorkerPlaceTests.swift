// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Cascade

@Suite struct WorkerPlaceTests {
    @Test func `a worker's only node takes the assigned path, whatever its own name`() throws {
        let nodes = [Node("printer") { Node("tray") }]
        for text in ["/shop/photo/laser", "shop/photo/laser"] {
            let (placed, mount) = try WorkerPlace.place(nodes, below: "/floor", at: text)
            #expect(mount == "/shop/photo")
            #expect(placed.map(\.name) == ["laser"])
            #expect(placed.first?.children.map(\.name) == ["tray"])
        }
    }

    @Test func `several nodes are placed below the assigned path`() throws {
        let nodes = [Node("one"), Node("two")]
        let (placed, mount) = try WorkerPlace.place(nodes, below: "/floor", at: "shop")
        #expect(mount == "/shop")
        #expect(placed.map(\.name) == ["one", "two"])
    }

    @Test(arguments: [nil, ""])
    func `without an assigned path the program's own mount applies`(text: String?) throws {
        let (placed, mount) = try WorkerPlace.place([Node("one")], below: "/floor", at: text)
        #expect(mount == "/floor")
        #expect(placed.map(\.name) == ["one"])
    }

    @Test func `a malformed assigned path is refused with an error that names the variable`() {
        #expect {
            try WorkerPlace.place([Node("one")], below: .root, at: "shop//x")
        } throws: { error in
            "\(error)".contains("CASCADE_NODE")
        }
    }
}
