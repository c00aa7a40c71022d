// SPDX-License-Identifier: Apache-2.0

import Testing

extension ShellExample {
    static let declarations = [
        ShellExample(
            "cascadectl attach /feed --triggers ItemSelected --triggers ShowSignIn"
        ) { shell in
            let feed = try shell.attach()
            let tree = try shell.outcome("tree", "/feed")
            #expect(tree["nodes"][0]["triggers"].strings == ["ItemSelected", "ShowSignIn"])
            withExtendedLifetime(feed) {}
        },
        ShellExample("cascadectl attach /feed --reports Unauthenticated") { shell in
            let feed = try shell.attach()
            let tree = try shell.outcome("tree", "/feed")
            #expect(tree["nodes"][0]["reports"].strings == ["Unauthenticated"])
            withExtendedLifetime(feed) {}
        },
        ShellExample("cascadectl attach /feed --safety strict") { shell in
            let item = try shell.node("/feed/item", "--triggers", "ItemSelected")
            let unlisted = ["trigger", "ShowSignIn", "--from", "/feed/item"]
            #expect(try shell.bus.run(unlisted).exitCode == 3)
            let feed = try shell.attach()
            #expect(try shell.bus.run(unlisted).exitCode == 13)
            withExtendedLifetime((feed, item)) {}
        },
        ShellExample("cascadectl attach /feed --no-explicit-responders") { shell in
            let item = try shell.node("/feed/item", "--triggers", "ItemSelected")
            #expect(try shell.bus.run(["check"]).exitCode == 3)
            let feed = try shell.attach()
            let ending = try shell.bus.run(["check"])
            #expect(ending.exitCode == 0, "\(ending.output.text)")
            withExtendedLifetime((feed, item)) {}
        },
    ]
}
