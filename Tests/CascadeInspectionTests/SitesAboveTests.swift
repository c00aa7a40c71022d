// SPDX-License-Identifier: Apache-2.0

import CascadeInspection
import CascadeWire
import Testing

@Suite struct SitesAboveTests {
    /// The bus of ulm, which stands at hq's `/shop/ulm`; hq stands at `/hq` of root.
    private let above = SitesAbove(
        of: "ulm",
        [
            SitesAbove.Step(site: "hq", mount: "/shop/ulm"),
            SitesAbove.Step(site: "root", mount: "/hq"),
        ])

    private func name(_ path: NodePath, at place: NodePath) -> NodePath {
        above.path(path, ofSiteAt: place)
    }

    @Test func `Nodes of this bus and of sites below have their paths from here`() {
        #expect(name("/kitchen", at: "/") == "/kitchen")
        #expect(name("/oven", at: "/cell") == "/cell/oven")
        #expect(name("/", at: "/cell") == "/cell")
        #expect(name("/x/y", at: "/cell/deep") == "/cell/deep/x/y")
    }

    @Test func `Nodes of a site above are foreign places of it`() {
        #expect(name("/floor", at: "/hq:") == "/hq:/floor")
        #expect(name("/", at: "/hq:") == "/hq:")
        #expect(name("/office", at: "/hq:/shop/berlin") == "/hq:/shop/berlin/office")
    }

    @Test func `A place has one name, that of the nearest site above`() {
        #expect(name("/hq/shop", at: "/root:") == "/hq:/shop")
        #expect(name("/hq", at: "/root:") == "/hq:")
        #expect(name("/shop/ulm", at: "/hq:") == "/")
        #expect(name("/hq/shop/ulm/kitchen", at: "/root:") == "/kitchen")
        #expect(name("/hqs", at: "/root:") == "/root:/hqs")
    }

    @Test func `Foreign places keep their names, and lose them at the site that they name`() {
        #expect(name("/ulm:/kitchen", at: "/cell") == "/kitchen")
        #expect(name("/hq:/floor", at: "/cell") == "/hq:/floor")
        #expect(name("/root:", at: "/hq:") == "/root:")
    }
}
