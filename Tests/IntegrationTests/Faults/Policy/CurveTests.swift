// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Faults {
    @FaultThread
    @Suite struct CurveTests {
        /// A key made by `cascadectl keygen`.
        private struct Key {
            let file: String
            let name: String
            let publicKey: String

            init(_ name: String, in folder: String) throws {
                file = "\(folder)/\(name).key"
                let ending = try SpawnedProgram("cascadectl", ["keygen", file], bus: "").end()
                try #require(ending.exitCode == 0, "\(ending.diagnostics.text)")
                let words = ending.output.text.split(whereSeparator: \.isWhitespace)
                try #require(words.count == 2 && words[0] == name && words[1].utf8.count == 40)
                self.name = name
                publicKey = String(words[1])
            }

            var line: String {
                "\(name) \(publicKey)\n"
            }
        }

        /// A valid public key that begins like an option, as one in 85 does.
        private static let hyphenatedKey = "-8z&X<7]joD[0O!B9FL/sJg1?6s+2Vn<-Jg{tbjE"

        @Test func `a key file has mode 0600 and is not overwritten`() throws {
            let folder = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(folder) }
            let key = try Key("till", in: folder)
            var status = stat()
            #expect(stat(key.file, &status) == 0 && status.st_mode & 0o777 == 0o600)
            let text = try String(contentsOfFile: key.file, encoding: .utf8)
            #expect(text.contains("public \(key.publicKey)\n") && text.contains("\nsecret "))
            let again = try SpawnedProgram("cascadectl", ["keygen", key.file], bus: "").end()
            #expect(again.exitCode == 1)
            #expect(again.diagnostics.text.contains("exists and is not overwritten"))
            #expect(try String(contentsOfFile: key.file, encoding: .utf8) == text)
        }

        @Test func `on tcp only authorized keys are accepted, and a session has its key's name`()
            throws
        {
            let folder = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(folder) }
            let bus = try Key("bus", in: folder)
            let till = try Key("till", in: folder)
            let stranger = try Key("stranger", in: folder)
            let authorized = folder + "/authorized_keys"
            let policy = folder + "/bus.policy"
            try PolicyFileText.write("# those of the shop\n" + till.line, authorized)
            try PolicyFileText.write(
                "allow attach, trigger, inspect /till to key till\nallow inspect / to key *\n",
                policy)
            let endpoint = "tcp://127.0.0.1:\(try freePort())"
            let options = [
                "--listen", endpoint, "--curve-key", bus.file, "--authorized-keys", authorized,
                "--policy", policy,
            ]
            try FaultBus.open(options) { local in
                let good = ["--key-file", till.file, "--server-key", bus.publicKey]
                let node = try SpawnedProgram(
                    "cascadectl", ["attach", "/till", "--handle", "Ring"] + good, bus: endpoint)
                #expect(try node.output.line(containing: "\"attached\"") != nil)
                #expect(try local.trigger("Ring", ["--from", "/till"]).by == "/till")
                let card = try local.run(["status", "/till", "--json"]).output.text
                #expect(card.contains("\"key\":\"till\"") && !card.contains("\"uid\""))
                let beyond = try SpawnedProgram(
                    "cascadectl", ["attach", "/attic"] + good, bus: endpoint
                ).end()
                #expect(beyond.exitCode == 77)
                #expect(beyond.diagnostics.text.contains("key 'till'"))
                try expectTurnedAway(
                    ["--key-file", stranger.file, "--server-key", bus.publicKey], endpoint)
                try expectTurnedAway(
                    ["--key-file", till.file, "--server-key", stranger.publicKey], endpoint)
                try expectTurnedAway(
                    ["--key-file", till.file, "--server-key", Self.hyphenatedKey], endpoint)

                // The key is withdrawn: its session ends with the reason.
                try PolicyFileText.write(stranger.line, authorized)
                local.daemon.signal(SIGHUP)
                let ending = try node.end()
                #expect(ending.exitCode == 77, "\(ending.diagnostics.text)")
                let words = ending.diagnostics.text + ending.output.text
                #expect(words.contains("the key of 'till' is no longer authorized"), "\(words)")
                try expectTurnedAway(good, endpoint)
                let other = ["--key-file", stranger.file, "--server-key", bus.publicKey]
                let tree = try SpawnedProgram("cascadectl", ["tree"] + other, bus: endpoint).end()
                #expect(tree.exitCode == 0, "\(tree.diagnostics.text)")

                // A faulty file changes nothing.
                try PolicyFileText.write("till not-a-key\n", authorized)
                local.daemon.signal(SIGHUP)
                let line = try local.daemon.diagnostics.line(containing: "stay in force")
                #expect(line?.contains("authorized_keys:1:1: expected a name and") == true)
                let still = try SpawnedProgram("cascadectl", ["ping"] + other, bus: endpoint).end()
                #expect(still.exitCode == 0)
            }
        }

        @Test
        func `plain tcp beyond loopback requires --allow-plain-tcp, and keys must be private`()
            throws
        {
            let folder = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(folder) }
            let open = try SpawnedProgram(
                "cascaded", ["--listen", "tcp://0.0.0.0:\(try freePort())"], bus: ""
            ).end()
            #expect(open.exitCode == 78)
            #expect(open.diagnostics.text.contains("--allow-plain-tcp"))
            let key = try Key("bus", in: folder)
            chmod(key.file, 0o644)
            let loose = try SpawnedProgram(
                "cascaded",
                ["--listen", "tcp://127.0.0.1:\(try freePort())", "--curve-key", key.file], bus: ""
            ).end()
            #expect(loose.exitCode == 1)
            #expect(loose.diagnostics.text.contains("other users may read it"))
            let asked = ["--listen", "tcp://127.0.0.1:\(try freePort())", "--allow-plain-tcp"]
            try FaultBus.open(asked) { bus in
                // The peer has no known identity, and no rule of the default policy applies to it.
                let ending = try SpawnedProgram("cascadectl", ["tree"], bus: asked[1]).end()
                #expect(ending.exitCode == 77)
                #expect(ending.diagnostics.text.contains("(unknown user) may not inspect '/'"))
            }
        }

        private func expectTurnedAway(_ options: [String], _ endpoint: String) throws {
            let ending = try SpawnedProgram("cascadectl", ["ping"] + options, bus: endpoint).end()
            #expect(ending.exitCode == 77, "\(options): \(ending.diagnostics.text)")
            #expect(ending.diagnostics.text.contains("does not accept this side's key"))
        }

        private func freePort() throws -> UInt16 {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            try #require(listener >= 0)
            defer { close(listener) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(listener, address, length) == 0
                        ? getsockname(listener, address, &length) : -1
                }
            }
            try #require(result == 0)
            return UInt16(bigEndian: address.sin_port)
        }
    }
}

/// Files that the daemon trusts.
private enum PolicyFileText {
    static func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try #require(chmod(path, 0o644) == 0)
    }
}
