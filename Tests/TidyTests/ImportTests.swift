// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct ImportTests {
    @Test func `every target imports only what its layer may`() throws {
        expectNone(try Repository.checkedOut().swiftFiles.flatMap(findings))
    }

    @Test(
        arguments: [
            ("Sources/CascadeWire/Header.swift", "import DequeModule"),
            ("Sources/CascadeBroker/Broker.swift", "import CascadeSession"),
            ("Sources/CascadeBroker/Broker.swift", "import Glibc"),
            ("Sources/CascadeSession/Session.swift", "package import CascadeBroker"),
            ("Sources/ZeroMQ/Socket.swift", "@_exported public import Logging"),
            ("Sources/Cascade/Node/Node.swift", "import struct FoundationEssentials.Date"),
            ("Sources/Cascade/Worker.swift", "import ServiceLifecycle"),
            ("Sources/CascadeDaemon/BrokerLoop.swift", "@preconcurrency import Foundation"),
            ("Sources/cascadectl/Commands/Tree.swift", "@testable import CascadeBroker"),
            ("Sources/Examples/kitchen/Kitchen.swift", "import CascadeWire"),
        ])
    func `a planted import is found`(path: String, statement: String) {
        let file = TextFile(path: path, text: "// Head\n\(statement)\n")
        #expect(findings(in: file).count == 1)
    }

    @Test func `a confined module is accepted in its files`() {
        let path = "Sources/Cascade/Payload/JSONPayloadCodec.swift"
        let file = TextFile(path: path, text: "import FoundationEssentials\n")
        #expect(findings(in: file).isEmpty)
    }

    @Test func `a target without a layer is found`() {
        #expect(findings(in: TextFile(path: "Sources/Misc/Misc.swift", text: "")).count == 1)
    }

    private func findings(in file: TextFile) -> [String] {
        guard let target = file.target else {
            return []
        }
        guard let layer = Layer.all.first(where: { $0.target == target }) else {
            return ["\(file.path): \(target) has no row in the table of layers"]
        }
        return file.findings { line in
            // A regular expression takes long, and few lines are imports.
            guard line.utf8.first == UInt8(ascii: "i") || line.contains("import ") else {
                return nil
            }
            let statement =
                /^(?:@\w+ )?(?:(?:public|package|internal|private) )?import (?:(?:struct|class|enum|protocol|func|var|let|typealias) )?(\w+)/
            guard let module = line.prefixMatch(of: statement)?.output.1,
                !layer.allows(String(module), in: file.path)
            else {
                return nil
            }
            return "import \(module): \(layer.summary)"
        }
    }
}
