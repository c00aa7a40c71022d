// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

/// A path is valid by construction, so that code after the parser need not check it again.
@Suite struct NodePathTests {
    @Test(arguments: ["/", "/kitchen", "/kitchen/oven", "/0/_/a.b:c-d"])
    func `a path has a slash before each component`(text: String) throws {
        #expect(try NodePath(text).description == text)
    }

    @Test(arguments: ["", "kitchen", "//", "/kitchen/", "//kitchen", "/kitchen//oven", " /a"])
    func `a path without exactly one slash before each component is refused`(text: String) {
        #expect(throws: NameError.self) { try NodePath(text) }
    }

    @Test(arguments: BadComponent.all.filter { $0.text != "a/b" })
    func `a path with a bad component is refused, whatever its position`(_ bad: BadComponent) {
        for text in ["/\(bad.text)", "/a/\(bad.text)", "/\(bad.text)/a", "/a/\(bad.text)/a"]
        where text != "/" {
            let error = #expect(throws: NameError.self) { try NodePath(text) }
            #expect(error?.description.isHarmless == true)
        }
        #expect(throws: NameError.self) { try NodePath("/a").appending(bad.text) }
    }

    @Test(arguments: ["/\u{301}a", "/a/\u{301}b"])
    func `a slash with a combining mark is refused`(text: String) {
        #expect(throws: NameError.self) { try NodePath(text) }
    }

    @Test func `a path is at most as long as a text in a field`() throws {
        let component = "/" + String(repeating: "c", count: 127)
        let almost = String(repeating: component, count: 511) + "/"
        let longest = try NodePath(almost + String(repeating: "c", count: 126))
        #expect(longest.description.utf8.count == NodePath.byteCountMax)
        #expect(throws: NameError.self) { try NodePath(longest.description + "c") }
        #expect(throws: NameError.self) { try longest.appending("c") }
    }

    @Test func `a path has components, a depth, a name and a parent`() {
        let path = NodePath("/kitchen/oven/door")
        #expect(path.components == ["kitchen", "oven", "door"])
        #expect(path.depth == 3)
        #expect(path.name == "door")
        #expect(path.parent?.description == "/kitchen/oven")
        #expect(path.parent?.parent?.parent == .root)
        #expect(NodePath.root.parent == nil)
        #expect(NodePath.root.depth == 0)
        #expect(NodePath.root.components.isEmpty)
        #expect(NodePath.root.name == "/")
    }

    @Test func `a path contains itself and its descendants`() throws {
        let kitchen = NodePath("/kitchen")
        #expect(kitchen.contains(kitchen))
        #expect(kitchen.contains(NodePath("/kitchen/oven")))
        #expect(NodePath.root.contains(kitchen))
        #expect(!kitchen.contains(.root))
        #expect(!kitchen.contains(NodePath("/kitchenette")))
    }

    @Test func `a path on the wire that breaks the rule is refused as badPath`() {
        var fields = FieldWriter()
        fields.append(.path, "kitchen")
        let error = #expect(throws: WireError.self) {
            try Activate(header: Header(.activate), fields: FieldReader(fields.bytes))
        }
        #expect(error?.code == .badPath)
    }
}
