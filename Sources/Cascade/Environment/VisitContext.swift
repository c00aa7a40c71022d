// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// The event or publication that a node's code is answering.
public struct VisitContext: Sendable {
    /// Names it for good. An event that comes again, say after a restart of the daemon, has the ID
    /// it had.
    public let id: EventID
    /// What it is called.
    public let name: EventName
    /// Who raised it.
    public let origin: NodePath
    /// What it carries beside its payload.
    public let attributes: [String: String]

    init(_ visit: Visit) {
        id = visit.id
        name = visit.name
        origin = visit.origin
        attributes = Dictionary(
            visit.attributes.map { ($0.key, $0.value) }, uniquingKeysWith: { _, last in last })
    }
}
