// SPDX-License-Identifier: Apache-2.0

/// A Python program stored beside the tests.
enum Script {
    static let python = "/usr/bin/python3"

    /// This file is `Tests/IntegrationTests/Faults/Support/Script.swift`.
    static func path(_ name: String, of file: String = #filePath) -> String {
        "/" + file.split(separator: "/").dropLast(3).joined(separator: "/") + "/Python/" + name
    }

    @FaultThread
    static func start(_ name: String, _ arguments: [String]) throws -> SpawnedProgram {
        try SpawnedProgram(python, [path(name)] + arguments, bus: "")
    }
}
