// SPDX-License-Identifier: Apache-2.0

import Testing

extension ShellExample {
    static let errors = [
        ShellExample("cascadectl report OutOfStock --from /app") { shell in
            let app = try shell.node("/app", "--handle-error", "OutOfStock")
            #expect(try shell.run().exitCode == 0)
            #expect(try app.output.line(ofLane: "error")["name"].string == "OutOfStock")
        },
        ShellExample("cascadectl attach /app --handle-error OutOfStock") { shell in
            let app = try shell.attach()
            let outcome = try shell.outcome("report", "OutOfStock", "--from", "/app")
            #expect(outcome["outcome"].string == "handled" && outcome["by"].string == "/app")
            #expect(try app.output.line(ofLane: "error")["kind"].string == "handleError")
        },
        ShellExample("cascadectl attach /app --receive-error '*' --stdio") { shell in
            let app = try shell.attach()
            for (verdict, exitCode) in [("handled", 0), ("notHandled", 10)] as [(String, Int32)] {
                let report = try shell.bus.start(["report", "OutOfStock", "--from", "/app"])
                try app.answer("error", verdict)
                #expect(try report.end().exitCode == exitCode)
            }
        },
        ShellExample(
            "cascadectl attach /app --transform-error OutOfStock=Unauthenticated"
        ) { shell in
            let app = try shell.attach()
            let outcome = try shell.outcome("report", "OutOfStock", "--from", "/app")
            #expect(outcome["outcome"].string == "failed")
            #expect(outcome["error"]["name"].string == "Unauthenticated")
            withExtendedLifetime(app) {}
        },
        ShellExample("cascadectl attach /app --catch Unauthenticated=ShowSignIn") { shell in
            let app = try shell.attach()
            let outcome = try shell.outcome("report", "Unauthenticated", "--from", "/app")
            #expect(outcome["outcome"].string == "unhandled")
            #expect(outcome["trail"][0]["kind"].string == "catch")
            let list = try shell.bus.run(["undelivered", "--json"]).document()
            #expect(list["undelivered"][0]["name"].string == "ShowSignIn")
            withExtendedLifetime(app) {}
        },
        ShellExample("alert-console --at /app") { shell in
            let console = try shell.start()
            try shell.bus.wait("/app", "live")
            let ending = try shell.bus.run([
                "report", "PrinterError", "--title", "Error", "--message", "no paper", "--from",
                "/app",
            ])
            #expect(ending.exitCode == 0)
            #expect(try console.output.line(containing: "no paper") != nil)
        },
        ShellExample("cascadectl report PrinterError --title Error --message 'no paper'") { shell in
            let ending = try shell.run()
            #expect(ending.exitCode == 10)
            #expect((ending.output.text + ending.diagnostics.text).contains("no paper"))
        },
    ]
}
