// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension CommandLineContract {
    @FaultThread
    @Suite struct CommandLineDoctorTests {
        @Test func `the checks of a sound endpoint, socket and daemon are ok`() throws {
            try FaultBus.open { bus in
                chmod(bus.socketPath, 0o660)
                let ending = try bus.run(["doctor", "--json"])
                let document = try ending.document()
                #expect(document["schema"].string == "cascade/v1/doctor")
                let states = Dictionary(
                    uniqueKeysWithValues: document["checks"].elements.map {
                        ($0["name"].string, $0["state"].string)
                    })
                for name in ["endpoint", "socket", "listeners", "daemon", "release", "process"] {
                    #expect(states[name] == "ok", "\(name): \(ending.output.text)")
                }
                let findings = states.values.filter { $0 == "warning" || $0 == "problem" }
                #expect(ending.exitCode == (findings.isEmpty ? 0 : 3))
            }
        }

        @Test func `a socket that every user may open is a finding`() throws {
            try FaultBus.open { bus in
                chmod(bus.socketPath, 0o666)
                let ending = try bus.run(["doctor"])
                #expect(ending.exitCode == 3)
                #expect(ending.output.text.contains("mode 0666: every user of this machine"))
            }
        }

        @Test(
            .enabled(if: OtherUser.isPossible),
            arguments: [
                (0o660, 0, "do not join the group root"), (0o600, 7_777, "only its user may"),
                (0o660, 7_777, "ask to be added to that group"),
            ] as [(mode_t, gid_t, String)])
        func `the advice to join a group is given only where it grants access safely`(
            mode: mode_t, group: gid_t, words: String
        ) throws {
            try FaultBus.open { bus in
                chmod(bus.directory, 0o755)
                chown(bus.socketPath, 0, group)
                chmod(bus.socketPath, mode)
                let program = try SpawnedProgram.path(of: "cascadectl")
                let id = OtherUser.userID
                let ending = try SpawnedProgram(
                    "/usr/bin/setpriv",
                    ["--reuid=\(id)", "--regid=\(id)", "--clear-groups", program, "doctor"],
                    bus: bus.endpoint
                ).end()
                #expect(ending.exitCode == 3)
                #expect(ending.output.text.contains(words), "\(ending.output.text)")
                let advises = ending.output.text.contains("ask to be added")
                #expect(advises == words.hasPrefix("ask to be"))
            }
        }

        @Test func `a second listener at the bus's path is a finding`() throws {
            try FaultBus.open { bus in
                let path = bus.socketPath
                #expect(rename(path, path + ".aside") == 0)
                let second = SilentSocket.listen(at: path)
                defer {
                    close(second)
                    unlink(path)
                    rename(path + ".aside", path)
                }
                let ending = try bus.run(["doctor"])
                #expect(ending.exitCode == 3)
                #expect(ending.output.text.contains("2 sockets listen at this path"))
            }
        }

        @Test func `without a bus the doctor reports a finding and how to start one`() throws {
            let directory = try FaultBus.makeDirectory()
            defer { FaultBus.removeDirectory(directory) }
            let endpoint = "ipc://\(directory)/bus.sock"
            let ending = try SpawnedProgram("cascadectl", ["doctor"], bus: endpoint).end()
            #expect(ending.exitCode == 3 && ending.diagnostics.bytes.isEmpty)
            #expect(ending.output.text.contains("as CASCADE_BUS says"))
            #expect(ending.output.text.contains("cascaded --listen \(endpoint)"))
        }
    }
}

/// A socket that accepts connections and never answers.
private enum SilentSocket {
    static func listen(at path: String) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafeBytes(of: &address) { bytes in
            bind(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count))
        }
        #expect(isBound == 0 && Glibc.listen(descriptor, 8) == 0)
        return descriptor
    }
}
