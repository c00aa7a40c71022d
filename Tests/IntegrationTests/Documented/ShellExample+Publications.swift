// SPDX-License-Identifier: Apache-2.0

import Testing

extension ShellExample {
    static let publications = [
        ShellExample("cascadectl publish Shaken --at /app") { shell in
            let deaf = try shell.node("/app/deaf", "--handle", "Shaken")
            #expect(try shell.run().exitCode == 3)
            let far = try shell.node("/app/list", "--subscribe", "Shaken")
            let near = try shell.node("/app/list/view", "--subscribe", "Shaken")
            #expect(try shell.run().exitCode == 0)
            #expect(try near.output.line(ofLane: "publication")["origin"].string == "/app")
            try far.output.readWhatIsThere()
            #expect(!(far.output.text + deaf.output.text).contains("publication"))
        },
        ShellExample("cascadectl publish Shaken --at /app --to all") { shell in
            let nodes = [
                try shell.node("/app/list", "--subscribe", "Shaken"),
                try shell.node("/app/list/view", "--subscribe", "Shaken"),
            ]
            #expect(try shell.run().exitCode == 0)
            for node in nodes {
                #expect(try node.output.line(ofLane: "publication")["name"].string == "Shaken")
            }
        },
        ShellExample("cascadectl subscribers Shaken --at /app") { shell in
            let none = try shell.run()
            #expect(none.exitCode == 4 && none.output.bytes.isEmpty)
            let view = try shell.node("/app/view", "--subscribe", "Shaken")
            let ending = try shell.run()
            #expect(ending.exitCode == 0 && ending.output.text.contains("/app/view"))
            withExtendedLifetime(view) {}
        },
        ShellExample("cascadectl attach /app/view --subscribe Shaken") { shell in
            let view = try shell.attach()
            let outcome = try shell.outcome("publish", "Shaken", "--at", "/app")
            #expect(outcome["paths"].strings == ["/app/view"])
            #expect(try view.output.line(ofLane: "publication")["name"].string == "Shaken")
        },
    ]
}
