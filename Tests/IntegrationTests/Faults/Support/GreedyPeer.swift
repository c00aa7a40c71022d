// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Foundation
import Testing

/// A process of another user that takes more than its share; see `greedy_peer.py` for the ways.
@FaultThread
enum GreedyPeer {
    static func start(_ arguments: [String], on bus: FaultBus) throws -> SpawnedProgram {
        OtherUser.admit(to: bus)
        return try SpawnedProgram(
            OtherUser.words[0],
            OtherUser.words.dropFirst() + [
                Script.python, Script.path("greedy_peer.py"), bus.socketPath,
            ] + arguments, bus: "")
    }
}

extension SpawnedProgram {
    /// The resident memory of the process.
    var residentMegabytes: Int {
        get throws {
            let status = try String(
                contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
            let words = line.split { $0 == " " || $0 == "\t" }
            return try #require(words.compactMap { Int($0) }.first) / 1_024
        }
    }
}

extension RawPeer {
    /// Waits until the daemon has read all earlier messages, and skips its other messages.
    func awaitAnswer() throws {
        try send(Query(request: 1 << 41, .tree(path: "/witness", depth: 0)))
        _ = try first { $0.header.command == .answer }
    }

    /// Attaches `count` nodes below a path in one session.
    func attach(_ count: Int, below path: String) throws {
        let nodes = try (0..<count).map { NodeDeclaration(path: try NodePath("\(path)/\($0)")) }
        try send(Attach(request: 1 << 40, nodes: nodes))
        _ = try next(Attached.self)
    }
}
