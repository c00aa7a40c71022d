// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The nodes that a session holds, the busiest first.
struct TopDocument: Document {
    private struct Row {
        let entry: NodeEntry
        let visitCount: UInt64
        let visitsPerSecond: Double
        let queueLength: UInt64
        /// The time from the sending of a visit to its verdict.
        let meanMicroseconds: UInt64?
        let errorCount: UInt64?

        var path: NodePath {
            entry.node.path
        }
    }

    private let bus: String
    private let rows: [Row]

    /// - Parameter last: The previous document.
    init(bus: String, entries: [NodeEntry], since last: TopDocument? = nil) {
        self.bus = bus
        let lastRows = Dictionary((last?.rows ?? []).map { ($0.path, $0) }) { $1 }
        rows = entries.filter { $0.node.holder != nil && !$0.node.path.isRoot }
            .map { Self.row($0, since: lastRows[$0.node.path]) }
            .sorted { left, right in
                (left.visitsPerSecond, left.visitCount)
                    > (right.visitsPerSecond, right.visitCount)
            }
    }

    private static func row(_ entry: NodeEntry, since last: Row?) -> Row {
        let visitCount = entry.node.counter("visits") ?? 0
        var newCount = visitCount
        var elapsed = entry.node.ageMicroseconds
        // Another session at the same path counts from 0.
        if let last, last.entry.node.holder?.session == entry.node.holder?.session,
            last.visitCount <= visitCount
        {
            newCount -= last.visitCount
            elapsed = entry.now.microseconds(since: last.entry.now)
        }
        return Row(
            entry: entry, visitCount: visitCount,
            visitsPerSecond: Double(newCount) * 1_000_000 / Double(max(elapsed, 1)),
            queueLength: entry.node.counter("queue") ?? 0,
            meanMicroseconds: mean(entry.node),
            errorCount: entry.node.counter("errors"))
    }

    /// Returns the mean latency. Only acknowledged visits are measured.
    private static func mean(_ node: NodeSnapshot) -> UInt64? {
        guard let count = node.counter("measured"), count > 0 else {
            return nil
        }
        return node.counter("latency").map { $0 / count }
    }

    var json: JSONValue {
        .document(
            "top",
            [
                "bus": .string(bus),
                "nodes": .array(
                    rows.map { row in
                        .members([
                            "path": .text(row.path),
                            "pid": row.entry.node.holder.map { .integer($0.processID) },
                            "visits": .integer(row.visitCount),
                            "visitsPerSecond": .number(Self.tenths(row.visitsPerSecond)),
                            "queue": .integer(row.queueLength),
                            "meanMicroseconds": row.meanMicroseconds.map { .integer($0) },
                            "errors": row.errorCount.map { .integer($0) },
                            "residentBytes": row.entry.residentBytes.map { .integer($0) },
                        ])
                    }),
            ])
    }

    func text(_ style: Style) -> String {
        var table = Table([
            "NODE", "PID", "VISITS/S", "VISITS", "QUEUE", "LATENCY", "ERRORS", "MEMORY",
        ])
        for row in rows {
            let node = row.entry.node
            table.append([
                Cell(row.path.description, node.state.colour),
                Cell(node.holder.map { String($0.processID) } ?? ""),
                Cell(Self.tenths(row.visitsPerSecond)),
                Cell(String(row.visitCount)),
                Cell(String(row.queueLength)),
                Cell(row.meanMicroseconds.map { Age.milliseconds(UInt32(clamping: $0)) } ?? ""),
                Cell(row.errorCount.map(String.init) ?? ""),
                Cell(row.entry.residentBytes.map(ByteCount.text) ?? ""),
            ])
        }
        return rows.isEmpty ? "no process holds a node" : table.text(style)
    }

    /// Returns a number with one decimal.
    private static func tenths(_ number: Double) -> String {
        let tenths = UInt64(number * 10 + 0.5)
        return "\(tenths / 10).\(tenths % 10)"
    }
}
