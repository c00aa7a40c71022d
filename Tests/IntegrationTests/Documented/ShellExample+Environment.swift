// SPDX-License-Identifier: Apache-2.0

import Testing

extension ShellExample {
    static let environment = values + writes + rulesAndPreferences

    private static let values = [
        ShellExample("cascadectl env list --at /app/view") { shell in
            let app = try shell.node("/app", "--env", "copies=2", "--env-self", #"mode="dark""#)
            let view = try shell.node("/app/view", "--handle", "ItemSelected")
            let lines = try shell.run().output.text.split(separator: "\n")
            #expect(lines.contains { $0.split(separator: " ").prefix(2) == ["copies", "2"] })
            #expect(lines.contains { $0.split(separator: " ").prefix(2) == ["mode", "\"dark\""] })
            withExtendedLifetime((app, view)) {}
        },
        ShellExample("cascadectl env set copies=2 --at /app") { shell in
            let view = try shell.node("/app/view", "--watch-env", "copies")
            #expect(try shell.run().exitCode == 0)
            #expect(try view.output.line(ofLane: "env")["value"].integer == 2)
        },
        ShellExample("cascadectl env set copies=4 --at /app") { shell in
            let app = try shell.node("/app", "--env", "copies=2")
            let view = try shell.node("/app/view", "--watch-env", "copies")
            #expect(try view.output.line(ofLane: "env")["value"].integer == 2)
            #expect(try shell.run().exitCode == 0)
            let change = try view.output.line(ofLane: "env")
            #expect(change["old"].integer == 2 && change["value"].integer == 4)
            withExtendedLifetime(app) {}
        },
        ShellExample("cascadectl env get copies --at /app/view") { shell in
            let app = try shell.node("/app", "--env", "copies=2")
            let view = try shell.node("/app/view", "--handle", "ItemSelected")
            #expect(try shell.run().output.text == "2\n")
            withExtendedLifetime((app, view)) {}
        },
        ShellExample("cascadectl env watch copies --at /app/view") { shell in
            let app = try shell.node("/app", "--env", "copies=2", "--stdio")
            let view = try shell.node("/app/view", "--handle", "ItemSelected")
            let watch = try shell.start()
            #expect(try watch.output.line(containing: "copies is 2") != nil)
            app.write(line: #"{"env":{"copies":3}}"#)
            #expect(try watch.output.line(containing: "copies is 3, was 2") != nil)
            withExtendedLifetime(view) {}
        },
        ShellExample("cascadectl env explain copies --at /app/view") { shell in
            let app = try shell.node("/app", "--env", "copies=2")
            let view = try shell.node("/app/view", "--rule", "copies <= 1")
            let text = try shell.run().output.text
            #expect(text.hasPrefix("copies is 2 at /app/view\n"))
            #expect(text.contains("process \(app.processID)"))
            #expect(text.contains("/app/view rule 1"))
            withExtendedLifetime(view) {}
        },
    ]

    private static let writes = [
        ShellExample("cascadectl request set:copies 3 --from /app") { shell in
            let app = try shell.node(
                "/app", "--env", "copies=2", "--respond", "set:copies", "--stdio")
            let view = try shell.node("/app/view", "--watch-env", "copies")
            #expect(try view.output.line(ofLane: "env")["value"].integer == 2)
            let writer = try shell.start()
            try app.accept()
            #expect(try writer.end().output.text == "3\n")
            #expect(try view.output.line(ofLane: "env")["value"].integer == 3)
        },
        ShellExample("cascadectl attach /app --respond set:copies --stdio") { shell in
            let app = try shell.attach()
            let view = try shell.node("/app/view", "--watch-env", "copies")
            let request = ["request", "set:copies", "3", "--from", "/app"]
            let writer = try shell.bus.start(request)
            try app.accept()
            #expect(try writer.end().exitCode == 0)
            #expect(try view.output.line(ofLane: "env")["value"].integer == 3)
            let refused = try shell.bus.start(request)
            let id = try app.output.line(ofLane: "request")["id"].string ?? ""
            app.write(line: #"{"id":"\#(id)","verdict":"failed","error":"TooMany"}"#)
            let ending = try refused.end()
            #expect(ending.exitCode == 10 && ending.diagnostics.text.contains("TooMany"))
        },
    ]

    private static let rulesAndPreferences = [
        ShellExample(
            #"cascadectl attach /app --rule 'copies > 2 => greeting <= "many"'"#
        ) { shell in
            let app = try shell.attach()
            let view = try shell.node("/app/view", "--watch-env", "greeting")
            _ = try shell.bus.run(["env", "set", "copies=3", "--at", "/app/view"])
            #expect(try view.output.line(ofLane: "env")["value"].string == "many")
            _ = try shell.bus.run(["env", "set", "copies=2", "--at", "/app/view"])
            #expect(try view.output.line(ofLane: "env")["value"].isMissing)
            withExtendedLifetime(app) {}
        },
        ShellExample("cascadectl attach /app/view --prefer queuedJobs=2:sum") { shell in
            let app = try shell.node("/app", "--watch-preference", "queuedJobs")
            let view = try shell.attach()
            #expect(try app.output.line(ofLane: "preference")["value"].integer == 2)
            view.kill()
            #expect(try view.end().exitCode == nil)
            #expect(try app.output.line(ofLane: "preference")["value"].isMissing)
        },
        ShellExample("cascadectl preferences /app") { shell in
            let left = try shell.node("/app/left", "--prefer", "queuedJobs=2:sum")
            let right = try shell.node("/app/right", "--prefer", "queuedJobs=3:sum")
            let lines = try shell.run().output.text.split(separator: "\n")
            #expect(
                lines.contains { $0.split(separator: " ").prefix(2) == ["queuedJobs", "5"] },
                "\(lines)")
            withExtendedLifetime((left, right)) {}
        },
    ]
}

@FaultThread
extension SpawnedProgram {
    /// Sets the value of a write request for `copies` and answers it.
    fileprivate func accept() throws {
        let request = try output.line(ofLane: "request")
        let (id, copies) = (request["id"].string ?? "", request["payload"].integer ?? 0)
        write(line: #"{"env":{"copies":\#(copies)}}"#)
        write(line: #"{"id":"\#(id)","verdict":"handled","reply":\#(copies)}"#)
    }
}
