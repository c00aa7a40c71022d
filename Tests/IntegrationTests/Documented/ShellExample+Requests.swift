// SPDX-License-Identifier: Apache-2.0

import Testing

extension ShellExample {
    static let requests = [
        ShellExample("cascadectl cascade CheckoutCompleted --from /app") { shell in
            let app = try shell.node("/app", "--observe", "CheckoutCompleted")
            #expect(try shell.run().exitCode == 0)
            #expect(try app.output.line(ofLane: "cascade")["kind"].string == "observe")
        },
        ShellExample("cascadectl attach /app --observe CheckoutCompleted") { shell in
            let app = try shell.attach()
            let outcome = try shell.outcome("cascade", "CheckoutCompleted", "--from", "/app")
            #expect(outcome["paths"].strings == ["/app"])
            #expect(try app.output.line(ofLane: "cascade")["name"].string == "CheckoutCompleted")
        },
        ShellExample(#"cascadectl request ImageOf '{"path":"corgi"}' --from /app"#) { shell in
            let app = try shell.node("/app", "--respond", "ImageOf", "--reply", #""dog""#)
            let ending = try shell.run()
            #expect(ending.exitCode == 0 && ending.output.text == "\"dog\"\n")
            #expect(try app.output.line(ofLane: "request")["payload"]["path"].string == "corgi")
        },
        ShellExample(#"cascadectl attach /app --respond ImageOf --reply '"🐶"'"#) { shell in
            let app = try shell.attach()
            let ending = try shell.bus.run(["request", "ImageOf", "--from", "/app"])
            #expect(ending.exitCode == 0)
            withExtendedLifetime(app) {}
            #expect(try ending.document().string == "🐶")
        },
    ]
}
