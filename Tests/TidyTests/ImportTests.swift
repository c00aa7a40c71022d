// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct ImportTests {
    private let rule = ImportRule(layers: Architecture.layers)

    @Test("Every target imports only what the architecture allows")
    func tree() throws {
        let files = try Repository.checkedOut().swiftFiles
        Finding.expectNone(files.flatMap(rule.findings))
    }

    @Test(
        "A planted import is found in a layer that may not have it",
        arguments: [
            ("Sources/CascadeWire/Header.swift", "import DequeModule"),
            ("Sources/CascadeBroker/Broker.swift", "import CascadeSession"),
            ("Sources/CascadeBroker/Broker.swift", "import Glibc"),
            ("Sources/CascadeSession/Session.swift", "package import CascadeBroker"),
            ("Sources/ZeroMQ/Socket.swift", "@_exported public import Logging"),
            ("Sources/Cascade/Node/Node.swift", "import struct FoundationEssentials.Date"),
            ("Sources/Cascade/Worker.swift", "import ServiceLifecycle"),
            ("Sources/CascadeTestKit/LoopbackBus.swift", "import ZeroMQ"),
            ("Sources/CascadeDaemon/BrokerLoop.swift", "@preconcurrency import Foundation"),
            ("Sources/cascadectl/Commands/Tree.swift", "@testable import CascadeBroker"),
            ("Sources/Examples/kitchen/Kitchen.swift", "import CascadeWire"),
        ]
    )
    func findsPlantedImport(path: String, statement: String) {
        let findings = rule.findings(in: SourceFile(path: path, text: "// Head\n\(statement)\n"))
        #expect(findings.map(\.line) == [2])
        #expect(findings.allSatisfy { $0.message.contains("may import") })
    }

    @Test(
        "A confined module is allowed where it is confined to",
        arguments: [
            ("Sources/Cascade/Payload/JSONPayloadCodec.swift", "import FoundationEssentials"),
            ("Sources/Cascade/Service/WorkerService.swift", "import ServiceLifecycle"),
        ]
    )
    func allowsConfinedImport(path: String, statement: String) {
        #expect(rule.findings(in: SourceFile(path: path, text: statement)).isEmpty)
    }

    @Test("A target without a row is found")
    func findsUnknownTarget() {
        let file = SourceFile(path: "Sources/Misc/Misc.swift", text: "")
        #expect(rule.findings(in: file).count == 1)
    }
}
