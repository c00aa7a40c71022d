// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension ShellExample {
    static let topology = [
        ShellExample("cascadectl attach /app/detail") { shell in
            let detail = try shell.attach()
            let tree = try shell.outcome("tree", "/app/detail")
            #expect(tree["nodes"][0]["state"].string == "live")
            #expect(tree["nodes"][0]["pid"].integer == Int(detail.processID))
        },
        ShellExample("cascadectl attach /app/list/sheet --relation presented") { shell in
            let list = try shell.node("/app/list", "--handle", "ItemSelected")
            let sheet = try shell.attach()
            list.signal(SIGTERM)
            #expect(try list.end().exitCode == 0)
            let line = try sheet.output.line(ofLane: "detached")
            #expect(line["reason"].string == "parentGone")
        },
        ShellExample("cascadectl drain /app/detail") { shell in
            let detail = try shell.node("/app/detail", "--handle", "ItemSelected")
            #expect(try shell.run().exitCode == 0)
            #expect(try detail.output.line(ofLane: "detached")["reason"].string == "drained")
        },
    ]
}
