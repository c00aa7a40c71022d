// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CascadeConsole

@Suite struct ScriptBundleTests {
    @Test func `modules are joined once each, after those that they import`() {
        let bundle = ScriptBundle(
            [
                "main.js": Array(
                    "import { $, Tree } from './tree.js';\nimport * as text from './text.js';\nrun();"
                        .utf8),
                "tree.js": Array(
                    "import { count } from './text.js';\nexport class Tree {\n}\nexport const $ = count;"
                        .utf8),
                "text.js": Array(
                    ("// Own.\n\nexport function count(n) {}\n  // More.\n"
                        + "export async function* lines(a) {}\nconst own = 1;").utf8),
                "unused.js": Array("export const unused = 1;".utf8),
            ], from: "main.js")
        #expect(
            bundle.text == """
                // SPDX-License-Identifier: Apache-2.0
                const $text = (() => {
                function count(n) {}
                async function* lines(a) {}
                const own = 1;
                return { count, lines };
                })();
                const $tree = (() => {
                const { count } = $text;
                class Tree {
                }
                const $ = count;
                return { Tree, $ };
                })();
                const $main = (() => {
                const { $, Tree } = $tree;
                const text = $text;
                run();
                return {  };
                })();

                """)
    }

    @Test(arguments: [
        "import './effects.js';", "import x from \"./x.js\";", "const from = \" from './x.js';\";",
        "  export const inner = 1;", "exports.push(1);",
    ])
    func `other lines stay as they are`(_ line: String) {
        let bundle = ScriptBundle(["main.js": Array(line.utf8)], from: "main.js")
        #expect(bundle.text.contains("\n\(line)\nreturn {  };\n"))
    }
}
