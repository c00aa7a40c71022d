// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire
import Testing

@Suite struct PathPatternTests {
    @Test(
        arguments: [
            ("/", ["/", "/shop", "/shop/till"], []),
            ("/**", ["/", "/shop", "/shop/till"], []),
            (
                "/shop", ["/shop", "/shop/till", "/shop/till/drawer"],
                ["/", "/shopping", "/a/shop"]
            ),
            ("/*", ["/shop", "/shop/till"], ["/"]),
            ("/shop/*", ["/shop/till", "/shop/a/b"], ["/shop", "/"]),
            ("/*/till", ["/a/till", "/b/till/drawer"], ["/till", "/a/b/till", "/a/tills"]),
            ("/**/till", ["/till", "/a/till", "/a/b/till/c"], ["/", "/a/tills"]),
            (
                "/shop/till-?", ["/shop/till-1", "/shop/till-1/x"],
                ["/shop/till-12", "/shop/till-"]
            ),
            ("/shop/t*l", ["/shop/till"], ["/shop/tills", "/shop/t/l"]),
        ] as [(String, [NodePath], [NodePath])])
    func `a pattern covers the paths it matches and their descendants`(
        text: String, covered: [NodePath], others: [NodePath]
    ) throws {
        let pattern = try #require(PathPattern(text))
        #expect(covered.filter { !pattern.covers($0) } == [])
        #expect(others.filter { pattern.covers($0) } == [])
        #expect(pattern.isEverything == ["/", "/**"].contains(text))
    }

    @Test(arguments: ["", "shop", "//", "/shop/", "/a//b"])
    func `a malformed path is not a pattern`(text: String) {
        #expect(PathPattern(text) == nil)
    }

    @Test func `a pattern of many stars is matched in bounded time`() throws {
        let pattern = try #require(PathPattern(String(repeating: "/**/a", count: 200) + "/b"))
        let path = try NodePath(String(repeating: "/a", count: 1000))
        #expect(!pattern.covers(path))
    }
}
