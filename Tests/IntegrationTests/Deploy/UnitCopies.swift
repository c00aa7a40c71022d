// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Foundation

/// Unit files as installed, but with the daemon that was built beside the tests, which also stands for
/// programs that may be missing.
struct UnitCopies {
    private let directory = Result { try TemporaryDirectory() }
    let folder: String
    private(set) var paths: [String] = []

    /// - Parameter source: a folder of the repository.
    init(of source: String, file: String = #filePath) throws {
        folder = try directory.get().path
        // This file is `Tests/IntegrationTests/Deploy/UnitCopies.swift`.
        let root = "/" + file.split(separator: "/").dropLast(4).joined(separator: "/")
        let daemon = try LineProgram.built("cascaded").path
        let kinds = [".service", ".socket", ".target", ".slice"]
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(source)")
        for name in names.sorted() where kinds.contains(where: name.hasSuffix) {
            let text = try String(
                contentsOf: URL(filePath: "\(root)/\(source)/\(name)"), encoding: .utf8)
            let programs = [
                "/usr/bin/cascaded", "/usr/bin/cascade-console", "/usr/bin/cascade-site",
                "/usr/sbin/nats-server",
            ]
            let copy = programs.reduce(text) { $0.replacingOccurrences(of: $1, with: daemon) }
            paths.append(try write(name, copy))
        }
    }

    func write(_ name: String, _ text: String) throws -> String {
        try directory.get().write(name, text.utf8)
    }
}
