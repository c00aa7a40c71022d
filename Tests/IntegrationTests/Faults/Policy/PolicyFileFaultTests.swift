// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite(.enabled(if: PolicyBus.isAvailable, "requires root and setpriv to act as users"))
    struct PolicyFileFaultTests {
        private static let strict = "default none\nallow inspect, attach /shop to user 41001\n"

        @Test func `a reload of a faulty policy file keeps the policy in force`() throws {
            try PolicyBus.open(policy: Self.strict) { bus in
                let loose = "allow all / to everyone\n"
                let faults: [(text: String, words: String)] = [
                    ("", "the file has no rule"),
                    ("# nothing\n", "the file has no rule"),
                    (loose + "deny attach /", ":2:14: expected 'to' after the path"),
                    (loose + "deny attach / to everyone", "may be incomplete"),
                    (loose + "deny attach / to user no-such-user\n", ":2:23: there is no"),
                    (loose + "\u{0}\n", ":2:1: expected 'allow'"),
                ]
                for fault in faults {
                    let line = try bus.reload(fault.text, saying: "stay in force")
                    #expect(line.contains(fault.words), "\(line)")
                    try expectStrict(bus)
                }
                try PolicyBus.write("allow\n", bus.policyFile)
                let refused = try bus.bus.run(["reload"])
                #expect(refused.exitCode == 78)
                #expect(refused.diagnostics.text.contains("bus.policy:1:6: expected a verb"))
                #expect(try bus.reload(loose).contains("files: 1"))
                #expect(try bus.bus.run(["reload"]).exitCode == 0)
                #expect(try bus.run(["ping"], as: .eve).exitCode == 0)
                #expect(try bus.run(["tree"], as: .eve).exitCode == 0)
            }
        }

        @Test func `a policy file or folder that other users can write is refused`() throws {
            try PolicyBus.open(policy: Self.strict) { bus in
                let loose = "allow all / to everyone\n"
                let file = bus.policyFile
                try PolicyBus.write(loose, file, mode: 0o666)
                #expect(try bus.reload(saying: "stay in force").contains("all users may write it"))
                try PolicyBus.write(loose, file)
                chown(file, 41_001, 0)
                #expect(
                    try bus.reload(saying: "stay in force").contains("it belongs to user 41001"))
                chown(file, 0, PolicyBus.groupID)
                chmod(file, 0o664)
                #expect(
                    try bus.reload(saying: "stay in force").contains("group 41900 may write it"))
                unlink(file)
                #expect(try bus.reload(saying: "stay in force").contains("No such file"))
                mkdir(file, 0o777)
                chmod(file, 0o777)
                #expect(try bus.reload(saying: "stay in force").contains("all users may write it"))
                chmod(file, 0o755)
                #expect(try bus.reload(saying: "stay in force").contains("no file ends in .policy"))
                try expectStrict(bus)
                try PolicyBus.write(Self.strict, file + "/20-shop.policy")
                try PolicyBus.write("deny attach /shop/b to everyone\n", file + "/10-b.policy")
                #expect(try bus.reload().contains("files: 2"))
                try bus.expectDenied(
                    ["attach", "/shop/b"], as: .anna, saying: "10-b.policy:1:1")
                try expectStrict(bus)
            }
        }

        @Test func `a reload without a free descriptor keeps the policy in force`() throws {
            try PolicyBus.open(policy: Self.strict) { bus in
                let process = bus.bus.daemon.processID
                let open = try FileManager.default
                    .contentsOfDirectory(atPath: "/proc/\(process)/fd").compactMap { Int($0) }
                let free = (0...open.count).first { !open.contains($0) } ?? 0
                // The daemon opens its first files at its start. Higher numbers may belong to connections that
                // it is closing.
                try limit(process, "\(min(free, 10))")
                try PolicyBus.write("allow all / to everyone\n", bus.policyFile)
                #expect(try bus.reload(saying: "stay in force").contains("Too many open files"))
                try limit(process, "1024")
                try expectStrict(bus)
            }
        }

        @Test
        func `a daemon that starts with a faulty policy refuses every attach with the reason`()
            throws
        {
            try PolicyBus.open(policy: "allow\n") { bus in
                #expect(bus.bus.daemon.diagnostics.text.contains("no peer may attach"))
                for user in [PolicyBus.User(userID: 0), .anna] {
                    try bus.expectDenied(
                        ["attach", "/shop"], as: user,
                        saying: "the policy cannot be read: \(bus.policyFile):1:6")
                }
                _ = try bus.reload(Self.strict)
                try expectStrict(bus)
            }
        }

        /// Expects that root has every right, anna those of the file, and other users none.
        private func expectStrict(_ bus: PolicyBus) throws {
            let node = try bus.attach("/shop", as: .anna)
            try bus.expectDenied(["attach", "/attic"], as: .anna, saying: "no rule")
            try bus.expectDenied(["attach", "/shop/x"], as: .bert, saying: "no rule")
            try bus.expectDenied(["tree"], as: .eve, saying: "no rule")
            node.signal(SIGTERM)
            #expect(try node.end().exitCode == 0)
        }

        private func limit(_ process: pid_t, _ count: String) throws {
            let arguments = ["--pid", "\(process)", "--nofile=\(count):"]
            let ending = try SpawnedProgram("/usr/bin/prlimit", arguments, bus: "").end()
            try #require(ending.exitCode == 0, "\(ending.diagnostics.text)")
        }
    }
}
