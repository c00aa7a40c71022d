// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import Glibc

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

    /// The members that every document about nodes has.
    var members: [JSONValue.Member] {
        let holder = node.holder
        let isKnownUser = holder.map { $0.userID != .max } ?? false
        let entry = JSONValue.members([
            "path": .text(node.path),
            "parent": node.path.parent.map { .text($0) },
            "state": .string(node.state.name),
            "active": .bool(node.isActive),
            "pid": holder.map { .integer($0.processID) },
            "uid": isKnownUser ? holder.map { .integer($0.userID) } : nil,
            "user": user.map { .string($0) },
            "unit": unit.map { .string($0) },
            "since": .text(since),
            "session": node.path.isRoot ? nil : holder.map { .text($0.session) },
            "relation": relation,
            "responders": .array(node.responders.enumerated().map(Self.json)),
            "subscriptions": .array(node.subscriptions.map { .text($0) }),
            "triggers": node.triggers.map { .array($0.map { .text($0) }) },
            "reports": node.reports.map { .array($0.map { .text($0) }) },
            "children": .integer(node.childCount),
        ])
        guard case .object(let members) = entry else {
            return []
        }
        return members
    }

    /// The members that only a node's own document and a dump have.
    var furtherMembers: [JSONValue.Member] {
        let holder = node.holder
        return JSONValue.memberList([
            "gid": holder.flatMap { $0.groupID == .max ? nil : .integer($0.groupID) },
            "groups": holder.flatMap { holder in
                holder.groups.isEmpty ? nil : .array(holder.groups.map { .integer($0) })
            },
            "key": holder?.key.map { .string($0) },
            "program": holder.map { .string($0.program) },
            "residentBytes": residentBytes.map { .integer($0) },
            "counters": .numbers(node.counters),
        ])
    }

    /// The relation to the parent; `nil` for the root and for a vacant place.
    private var relation: JSONValue? {
        guard !node.path.isRoot, node.holder != nil else {
            return nil
        }
        return node.isPresented ? "presented" : "contained"
    }

    private static func json(_ index: Int, _ responder: ResponderDeclaration) -> JSONValue {
        .members([
            "index": .integer(index),
            "kind": .string(responder.kind.name),
            "name": .string(responder.nameText),
            "when": responder.when.map { .string($0) },
        ])
    }
}

extension ResponderDeclaration {
    /// The name of the messages that the responder responds to; `*` for every name.
    var nameText: String {
        name?.description ?? NameRule.wildcard
    }

    /// A short description: `handle PrintJob`.
    var summary: String {
        "\(kind.name) \(nameText)" + (when.map { " when \($0)" } ?? "")
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

/// The resident memory of processes on this machine.
enum ResidentMemory {
    /// Returns the number of bytes; `nil` if the process does not exist.
    ///
    /// Source: proc_pid_statm(5).
    static func byteCount(of processID: UInt32) -> UInt64? {
        guard let file = fopen("/proc/\(processID)/statm", "re") else {
            return nil
        }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 256)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else {
            return nil
        }
        let text = String(decoding: buffer.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let fields = text.split(separator: " ")
        return fields.dropFirst().first.flatMap { UInt64($0) }.map {
            $0 * UInt64(sysconf(Int32(_SC_PAGESIZE)))
        }
    }
}
