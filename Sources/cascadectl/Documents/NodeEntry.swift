// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON

/// A node in a document, from a live bus or from a dump.
struct NodeEntry: Sendable {
    let node: NodeSnapshot
    let now: Timestamp
    let user: String?
    private let memory: Memory

    private enum Memory {
        /// Read from the process at each access.
        case live
        case dumped(byteCount: UInt64?)
    }

    /// Creates an entry for a node of a live bus.
    init(node: NodeSnapshot, now: Timestamp) {
        self.node = node
        self.now = now
        user = node.holder.flatMap { UserName.of($0.userID) }
        memory = .live
    }

    /// Creates an entry for a node of a dump.
    init(node: NodeSnapshot, now: Timestamp, user: String?, residentBytes: UInt64?) {
        self.node = node
        self.now = now
        self.user = user
        memory = .dumped(byteCount: residentBytes)
    }

    /// The resident memory of the node's process, if known.
    var residentBytes: UInt64? {
        switch memory {
        case .live: node.holder.flatMap { ResidentMemory.byteCount(of: $0.processID) }
        case .dumped(let byteCount): byteCount
        }
    }

    var unit: String? {
        node.holder.flatMap { $0.unit.isEmpty ? nil : $0.unit }
    }

    /// The time of the attachment, the same at each access. A daemon of release 0.1.0 sends only
    /// the age.
    var since: Timestamp {
        node.since ?? now.earlier(byMicroseconds: node.ageMicroseconds)
    }

    /// The node as every document about nodes has it.
    var brief: InspectedNode {
        InspectedNode(node, now: now, user: user).brief
    }

    /// The node as its own document and a dump have it.
    var whole: InspectedNode {
        InspectedNode(node, now: now, user: user, residentBytes: residentBytes)
    }
}

extension ResponderDeclaration {
    /// A short description: `handle PrintJob`.
    var summary: String {
        "\(kind.name) \(name?.description ?? NameRule.wildcard)"
            + (when.map { " when \($0)" } ?? "")
    }
}

// MARK: - State and memory

extension NodeSnapshot {
    /// Returns the value of a counter; `nil` if the node has no such counter.
    func counter(_ name: String) -> UInt64? {
        counters.first { $0.name == name }?.value
    }
}

extension NodeState {
    var glyph: String {
        switch self {
        case .live: "●"
        case .inactive: "◐"
        case .unresponsive: "✗"
        case .leaving: "◌"
        case .vacant: "○"
        }
    }

    var colour: Style.Colour {
        switch self {
        case .live: .green
        case .inactive, .vacant: .dim
        case .leaving: .yellow
        case .unresponsive: .red
        }
    }
}
