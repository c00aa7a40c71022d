// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// The nodes that the processes of a bench have attached to a bus that is not the bench's own.
///
/// Their processes end by a signal, which the bus takes for a loss: it would keep their places for
/// the grace time. So the bench takes the places over first, and leaves them in good order.
struct BenchNodes {
    let endpoint: String

    private static let patience = TimeSpan(milliseconds: 10_000)

    /// Takes nodes that its processes hold out of the tree.
    func leave(_ paths: [NodePath]) async {
        guard !paths.isEmpty else {
            return
        }
        await leave(paths, takesOver: true)
    }

    /// Takes those out of the tree that processes may have attached which have ended since; what
    /// others hold stays.
    func leaveLost(_ paths: [NodePath]) async {
        for path in paths {
            await leave([path], takesOver: false)
        }
    }

    private func leave(_ paths: [NodePath], takesOver: Bool) async {
        // From below, so that no place stays for what leaves too.
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
                Output.diagnostic("bench: its nodes stay for the grace time: \(message)")
            }
        }
    }
}
