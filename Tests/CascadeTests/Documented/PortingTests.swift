// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The article PortingFromSwiftUI and the ported examples.
@Suite struct PortingTests {
    @Test func `every token of the table occurs in a ported example`() throws {
        let folder = "Tests/CascadeTests/Seeds"
        let names = [
            "CascadingAction", "Propagation", "Responder", "Rules", "Safety", "Talk",
        ]
        let code = try ArticleTests.code(of: names.map { "\(folder)/\($0)SeedTests.swift" })
        let article = try ArticleTests.code(of: [
            "Sources/Cascade/Cascade.docc/PortingFromSwiftUI.md"
        ])
        let rows = article.split(separator: "\n").filter { $0.hasPrefix("| ") }
            .map { $0.components(separatedBy: " | ") }.dropFirst()
        #expect(rows.count > 30)
        for row in rows {
            let tokens = row[1].components(separatedBy: "`, `")
                .map {
                    $0.trimmingCharacters(in: ["`"]).replacing(
                        "Node(\"tabs\") { … }", with: "Node(\"tabs\") {")
                }
            // A process without a terminal has no signal of a user.
            for token in tokens where token != ".onSignal(" {
                #expect(code.contains(token), "\(token) is in no example")
            }
        }
    }
}
