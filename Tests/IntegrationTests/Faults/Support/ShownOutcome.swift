// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// An outcome as the command line shows it in JSON.
struct ShownOutcome: Decodable {
    struct Failure: Decodable {
        var name: String
        var message: String?
        var node: String?
    }

    var id: String
    var outcome: String
    var by: String?
    var error: Failure?
    var paths: [String]?
    /// How the command exited.
    var exitCode: Int32?
    /// The document.
    var text = ""

    private enum CodingKeys: CodingKey {
        case id, outcome, by, error, paths
    }

    /// Reads the only document that a command has printed.
    init(_ ending: SpawnedProgram.Ending) throws {
        let data = Data(ending.output.bytes)
        try #require(!data.isEmpty, "no outcome: \(ending.diagnostics.text)")
        self = try JSONDecoder().decode(ShownOutcome.self, from: data)
        exitCode = ending.exitCode
        text = ending.output.text
    }
}
