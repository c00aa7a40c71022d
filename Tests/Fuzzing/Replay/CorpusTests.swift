// SPDX-License-Identifier: Apache-2.0

import CascadeFuzzing
import Foundation
import Testing

/// Inputs that libFuzzer has found are replayed in every run of the tests: a
/// trap would end it.
@Suite struct CorpusTests {
    @Test("Every input of a corpus is read or refused", arguments: FuzzTarget.allCases)
    func corpus(_ target: FuzzTarget) throws {
        let inputs = try Self.inputs(of: target)
        #expect(!inputs.isEmpty)
        for input in inputs {
            target.run(input)
        }
    }

    @Test("Inputs that are doubled or halved are read or refused")
    func beginnings() throws {
        for target in FuzzTarget.allCases {
            for input in try Self.inputs(of: target) {
                target.run(input + input)
                target.run(Array(input.prefix(input.count / 2)))
            }
        }
    }

    @Test("All events of a conforming peer end, whatever other peers send")
    func goodPeers() {
        // Raises, lets time pass, raises again.
        FuzzTarget.broker.run([5, 5, 5, 1, 200, 5, 2, 5, 0, 5])
    }

    /// This file is `Tests/Fuzzing/Replay/CorpusTests.swift`.
    private static func inputs(
        of target: FuzzTarget, besides file: String = #filePath
    ) throws -> [[UInt8]] {
        let folder = URL(filePath: file).deletingLastPathComponent()
            .appending(path: "../Corpora/\(target.rawValue)").standardized
        return try FileManager.default
            .contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }
            .map { [UInt8](try Data(contentsOf: $0)) }
    }
}
