// SPDX-License-Identifier: Apache-2.0

import CascadeFuzzing
import Foundation
import Testing

/// Replays the inputs that libFuzzer has found. A trap ends the run.
@Suite struct CorpusTests {
    @Test(arguments: FuzzTarget.allCases)
    func `every input of a corpus is read or refused`(_ target: FuzzTarget) throws {
        let inputs = try Self.inputs(of: target)
        #expect(!inputs.isEmpty)
        for input in inputs {
            target.run(input)
        }
    }

    @Test func `inputs that are doubled or halved are read or refused`() throws {
        for target in FuzzTarget.allCases {
            for input in try Self.inputs(of: target) {
                target.run(input + input)
                target.run(Array(input.prefix(input.count / 2)))
            }
        }
    }

    @Test func `all events of a conforming peer end while other peers send anything`() {
        // Raises events, advances the time, and raises events again.
        FuzzTarget.broker.run([5, 5, 5, 1, 200, 5, 2, 5, 0, 5])
    }

    /// Returns the inputs of a target's corpus.
    ///
    /// - Parameter file: The path of this file, `Tests/Fuzzing/Replay/CorpusTests.swift`.
    private static func inputs(
        of target: FuzzTarget, from file: String = #filePath
    ) throws -> [[UInt8]] {
        let folder = URL(filePath: file).deletingLastPathComponent()
            .appending(path: "../Corpora/\(target.rawValue)").standardized
        return try FileManager.default
            .contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }
            .map { [UInt8](try Data(contentsOf: $0)) }
    }
}
