// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// The nodes that the processes of a benchmark have attached to an existing bus.
///
/// A signal ends these processes, which the bus treats as a loss: it would keep their places for
/// the grace time. So the benchmark takes over the places first, and then leaves.
struct BenchNodes {
    let endpoint: String

    private static let patience = TimeSpan(milliseconds: 10_000)

    /// Takes nodes of running benchmark processes out of the tree.
    func leave(_ paths: [NodePath]) async {
        guard !paths.isEmpty else {
            return
        }
        await leave(paths, takesOver: true)
    }

    /// Takes nodes of processes that have ended out of the tree; nodes of other sessions stay.
    func leaveLost(_ paths: [NodePath]) async {
        for path in paths {
            await leave([path], takesOver: false)
        }
    }

    private func leave(_ paths: [NodePath], takesOver: Bool) async {
        // Lowest first, so that no vacant place is kept for a node below it.
        let ordered = paths.sorted { $0.components.count > $1.components.count }
        do {
            let options = try BusOptions.parse(["--bus", endpoint])
            try await options.withBus(limit: Self.patience, isFinal: true) { bus in
                try await bus.link.attach(
                    ordered.map { NodeDeclaration(path: $0, takesOver: takesOver) }, names: [])
                try await bus.link.leave()
            }
        } catch {
            if takesOver {
                let message = Stop(error)?.message ?? "\(error)"
                Output.diagnostic("bench: the nodes stay for the grace time: \(message)")
            }
        }
    }
}
