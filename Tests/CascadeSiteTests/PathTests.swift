// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeTestSupport
import CascadeWire
import Testing

@Suite struct PathTests {
    private let ulm = PathTranslator(mount: "/shop/ulm", parent: "hq")

    @Test(arguments: [
        ("/", "/shop/ulm"), ("/kitchen", "/shop/ulm/kitchen"), ("/hq:", "/"),
        ("/hq:/floor/1", "/floor/1"), ("/hq:/shop", "/shop"), ("/root:/x", "/root:/x"),
        ("/root:", "/root:"), ("/ulm:/kitchen", "/ulm:/kitchen"), ("/hq", "/shop/ulm/hq"),
        ("/a/hq:", "/shop/ulm/a/hq:"),
    ])
    func `a path has its name at the parent`(path: String, atParent: String) throws {
        #expect(try ulm.upward(NodePath(path)) == NodePath(atParent))
    }

    @Test(arguments: [
        ("/", "/hq:"), ("/floor/1", "/hq:/floor/1"), ("/shop", "/hq:/shop"), ("/shop/ulm", "/"),
        ("/shop/ulm/kitchen", "/kitchen"), ("/shop/ulmer", "/hq:/shop/ulmer"),
        ("/root:/x", "/root:/x"), ("/root:", "/root:"),
    ])
    func `a path has its name at the site`(path: String, atSite: String) throws {
        #expect(try ulm.downward(NodePath(path)) == NodePath(atSite))
    }

    @Test func `a path that becomes too long is an error`() throws {
        let component = "/" + String(repeating: "a", count: 127)
        let longest = try NodePath(
            String(repeating: component, count: 511) + "/" + component.dropFirst(2))
        #expect(longest.byteCount > NodePath.byteCountMax - 10)
        #expect(throws: NameError.self) { try ulm.upward(longest) }
        #expect(try ulm.downward(ulm.upward("/a")) == "/a")
    }

    // MARK: - Properties

    @Test func `a way up and down ends where it began`() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let translator = Self.randomTranslator(&generator)
            let path = Self.randomPath(&generator)
            let back = try translator.downward(translator.upward(path))
            guard Self.isNameOfOwnPlace(path, translator) else {
                #expect(back == path, "\(path) below \(translator)")
                continue
            }
            // The parent's name of a place of the site becomes the site's own name.
            let own = try translator.downward(
                NodePath("/" + path.components.dropFirst().joined(separator: "/")))
            #expect(back == own && !back.isForeign, "\(path) below \(translator)")
        }
    }

    @Test func `a way down and up ends where it began`() throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            let translator = Self.randomTranslator(&generator)
            let path = Self.randomPath(&generator)
            // A bus does not name its own places by its own site's name.
            guard path.components.first != "\(translator.parent):" else {
                continue
            }
            let back = try translator.upward(translator.downward(path))
            #expect(back == path, "\(path) above \(translator)")
        }
    }

    @Test func `two sites translate a path as one site with both mounts`() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            let middle = PathTranslator(mount: Self.randomMount(&generator), parent: "root")
            let lower = PathTranslator(mount: Self.randomMount(&generator), parent: "hq")
            let whole = PathTranslator(mount: try middle.upward(lower.mount), parent: "root")
            let own = Self.randomPath(&generator, isForeign: false)
            #expect(try middle.upward(lower.upward(own)) == whole.upward(own))
            let above = Self.randomPath(&generator, isForeign: false)
            let seen = try lower.downward(middle.downward(above))
            if middle.mount.contains(above), !whole.mount.contains(above) {
                // The place belongs to the site in the middle.
                #expect(seen.components.first == "hq:")
            } else {
                #expect(try seen == whole.downward(above))
            }
        }
    }

    @Test func `a path of the site never leaves the mount`() throws {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<20_000 {
            let translator = Self.randomTranslator(&generator)
            let path = Self.randomPath(&generator, isForeign: false)
            #expect(try translator.mount.contains(translator.upward(path)))
        }
    }

    private static func isNameOfOwnPlace(_ path: NodePath, _ translator: PathTranslator) -> Bool {
        let components = path.components
        return components.first == "\(translator.parent):"
            && components.dropFirst().starts(with: translator.mount.components)
    }

    private static func randomTranslator(_ generator: inout SeededGenerator) -> PathTranslator {
        PathTranslator(
            mount: randomMount(&generator), parent: generator.pick(["hq", "root", "a"]))
    }

    private static func randomMount(_ generator: inout SeededGenerator) -> NodePath {
        NodePath(
            joining: (0..<1 + generator.below(3)).map { _ in generator.pick(["a", "b", "ab"]) })
    }

    private static func randomPath(
        _ generator: inout SeededGenerator, isForeign: Bool? = nil
    ) -> NodePath {
        let isForeign = isForeign ?? generator.isLucky(40)
        let site = isForeign ? [generator.pick(["hq:", "root:", "a:", "ulm:"])] : []
        return NodePath(
            joining: site + (0..<generator.below(5)).map { _ in generator.pick(["a", "b", "ab"]) })
    }
}

@Suite struct SiteNameTests {
    @Test(arguments: ["ulm", "hq-2", "_x", "0", "A-", String(repeating: "a", count: 63)])
    func `a valid name is accepted`(name: String) throws {
        #expect(try SiteName(name).description == name)
        // Each is a component of a path, with the mark of a site.
        #expect(try NodePath("/\(name):/x").isForeign)
    }

    @Test(arguments: [
        "", "-ulm", "a.b", "a*", ">", "a:", "a/b", "ü", "a b", "a\n",
        String(repeating: "a", count: 64),
    ])
    func `another name is refused`(name: String) {
        #expect(throws: SiteNameError.self) { try SiteName(name) }
    }
}
