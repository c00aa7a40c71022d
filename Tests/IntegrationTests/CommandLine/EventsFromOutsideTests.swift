// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The examples in `deploy/outside`: their commands are run as they are written.
@FaultThread
@Suite struct EventsFromOutsideTests {
    @Test(arguments: [
        ("cascade-inbox.service", "InboxFilled"),
        ("90-cascade-storage.rules", "StorageAttached"),
    ])
    func `the commands of the unit and the udev rule reach a handler`(
        _ file: String, _ name: String
    ) throws {
        try FaultBus.open { bus in
            let shop = try bus.attach("/shop", ["--handle", name])
            let ending = try bus.run(try Self.arguments(of: file))
            #expect(ending.exitCode == 0, "\(ending.diagnostics.text)")
            let line = try #require(try shop.output.line(containing: name))
            #expect(line.contains(#""lane":"event""#))
            shop.signal(SIGTERM)
            _ = try shop.end()
        }
    }

    @Test(arguments: [
        "cascade-nightly.service", "cascade-nightly.cron",
    ])
    func `the nightly publication reaches a subscriber`(_ file: String) throws {
        try FaultBus.open { bus in
            #expect(try bus.run(try Self.arguments(of: file)).exitCode == 3)
            let lamp = try bus.attach("/lamp", ["--subscribe", "NightFallen"])
            #expect(try bus.run(try Self.arguments(of: file)).exitCode == 0)
            #expect(try lamp.output.line(containing: #""lane":"publication""#) != nil)
            lamp.signal(SIGTERM)
            _ = try lamp.end()
        }
    }

    /// The arguments of `cascadectl` in the one line of the file that runs it.
    private static func arguments(of file: String) throws -> [String] {
        // This file is Tests/IntegrationTests/CommandLine/…: the root is four up.
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appending(path: "deploy/outside/\(file)"), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { line in
            !line.hasPrefix("#") && line.contains("cascadectl ")
        }
        try #require(lines.count == 1)
        let command = lines[0].components(separatedBy: "cascadectl ")[1]
        return command.replacingOccurrences(of: "%k", with: "sda1")
            .trimmingCharacters(in: ["\""]).split(separator: " ").map(String.init)
    }
}
