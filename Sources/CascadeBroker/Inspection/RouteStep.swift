// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// One line of a dry run: a responder on the way up, or a place that has none, and whether it would
/// be asked.
struct RouteStep: Sendable {
    var path: NodePath
    /// The responder's place in its node's list; `nil` for a place without one.
    var responder: Int?
    var kind: ResponderKind?
    /// What it responds to; `nil` for every name.
    var name: EventName?
    var isAsked: Bool
    var why: String

    /// `nil` for a place that is hidden.
    func json(for viewer: inout Viewer) -> JSONValue? {
        guard let place = viewer.place(path) else {
            return nil
        }
        return .members([
            "path": place,
            "responder": responder.map { .integer($0) },
            "kind": kind.map { .string($0.name) },
            "name": responder.map { _ in .string(name?.description ?? NameRule.wildcard) },
            "asked": .bool(isAsked),
            "why": .string(why),
        ])
    }
}
