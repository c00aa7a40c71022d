// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension ShellExample {
    static let events = [
        ShellExample(#"cascadectl trigger ItemSelected '{"item":7}' --from /app"#) { shell in
            let app = try shell.node("/app", "--handle", "ItemSelected")
            #expect(try shell.run().exitCode == 0)
            #expect(try app.output.line(ofLane: "event")["payload"]["item"].integer == 7)
        },
        ShellExample("cascadectl attach /app --handle ItemSelected") { shell in
            let app = try shell.attach()
            let outcome = try shell.outcome("trigger", "ItemSelected", "--from", "/app")
            #expect(outcome["outcome"].string == "handled" && outcome["by"].string == "/app")
            #expect(try app.output.line(ofLane: "event")["kind"].string == "handle")
        },
        ShellExample("cascadectl attach /app --receive ItemSelected --stdio") { shell in
            let app = try shell.attach()
            for (verdict, exitCode) in [("handled", 0), ("notHandled", 3)] as [(String, Int32)] {
                let trigger = try shell.bus.start(["trigger", "ItemSelected", "--from", "/app"])
                try app.answer("event", verdict)
                #expect(try trigger.end().exitCode == exitCode)
            }
        },
        ShellExample("cascadectl attach /app --handle '*'") { shell in
            let app = try shell.attach()
            for name in ["ItemSelected", "Anything"] {
                let outcome = try shell.outcome("trigger", name, "--from", "/app")
                #expect(outcome["by"].string == "/app")
                #expect(try app.output.line(ofLane: "event")["name"].string == name)
            }
        },
        ShellExample("cascadectl attach /app --transform ItemTapped=ItemSelected") { shell in
            let app = try shell.attach()
            let outcome = try shell.outcome("trigger", "ItemTapped", "--from", "/app")
            #expect(outcome["trail"][0]["verdict"].string == "replaced")
            let list = try shell.bus.run(["undelivered", "--json"]).document()
            #expect(list["undelivered"][0]["name"].string == "ItemSelected")
            #expect(try app.output.line(ofLane: "event")["name"].string == "ItemTapped")
        },
        ShellExample("cascadectl attach /app --handle ItemSelected --throw OutOfStock") { shell in
            let app = try shell.attach()
            let outcome = try shell.outcome("trigger", "ItemSelected", "--from", "/app")
            #expect(outcome["outcome"].string == "failed")
            #expect(outcome["error"]["name"].string == "OutOfStock")
            #expect(outcome["error"]["node"].string == "/app")
            withExtendedLifetime(app) {}
        },
        ShellExample("kill -USR1 PID") { shell in
            let app = try shell.node("/app", "--handle", "Shaken")
            let trap = "trap 'cascadectl trigger Shaken --from /app' USR1"
            let reader = try shell.start("sh -c \"\(trap); echo ready; read line; read line\"")
            #expect(try reader.output.line(containing: "ready") != nil)
            let signal = shell.command.replacing("PID", with: "\(reader.processID)")
            #expect(try shell.start(signal).end().exitCode == 0)
            // The shell runs its trap after it has read a line.
            reader.write(line: "")
            #expect(try app.output.line(ofLane: "event")["name"].string == "Shaken")
            reader.closeInput()
            _ = try reader.end()
        },
    ]
}

extension SpawnedProgram {
    /// Answers the next visit.
    func answer(_ lane: String, _ verdict: String) throws {
        let id = try output.line(ofLane: lane)["id"].string ?? ""
        write(line: #"{"id":"\#(id)","verdict":"\#(verdict)"}"#)
    }
}
