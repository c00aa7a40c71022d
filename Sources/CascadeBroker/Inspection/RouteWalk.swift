// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// A dry run on its way up: the responders passed so far determine the report about those above.
struct RouteWalk {
    let route: RouteQuery
    /// The number of the name.
    let name: NameIndex
    private(set) var steps: [RouteStep] = []
    /// The reason why responders further up are not reached.
    private var end: String?
    /// Whether something below may have changed the name, which a dry run cannot know.
    private var replacement: String?

    init(_ route: RouteQuery, name: NameIndex) {
        self.route = route
        self.name = name
    }

    /// Records that the walk has reached a place without a node to ask.
    mutating func pass(_ path: NodePath, _ why: String) {
        steps.append(RouteStep(path: path, isAsked: false, why: end ?? why))
    }

    /// Records that strict safety at a place rejects the name.
    mutating func reject(at place: String) {
        let reason =
            "its name is declared neither at \(place) nor below, and the safety there is strict"
        end =
            end ?? replacement.map { "never reached if \($0) keeps the name: \(reason)" }
            ?? "never reached: \(reason)"
    }

    /// Reports a responder. `obstacle` is the reason why its node cannot be asked, and `falsehood`
    /// the reason why its predicate is false.
    mutating func meet(
        _ responder: Responder, _ index: Int, named text: EventName?, at path: NodePath,
        obstacle: String?, falsehood: String?, isVisible: Bool
    ) {
        var step = RouteStep(
            path: path, responder: index, kind: responder.kind, name: text, isAsked: false, why: "")
        if let why = end ?? obstacle ?? reason(against: responder) {
            step.why = why
        } else if let falsehood {
            step.why = falsehood
        } else {
            step.isAsked = true
            step.why = replacement.map { "asked, if \($0) keeps the name" } ?? "asked"
            follow(responder.kind, at: isVisible ? "\(path)[\(index)]" : "a hidden place")
        }
        steps.append(step)
    }

    /// Why a responder is for something else.
    private func reason(against responder: Responder) -> String? {
        guard responder.kind.sees(route.lane) else {
            let seen = Lane.allCases.filter { responder.kind.sees($0) }.map { "\($0.name)s" }
            return "sees only \(seen.joined(separator: ", "))"
        }
        guard responder.name != NameIndex.none, responder.name != name else {
            return nil
        }
        return replacement.map { "another name, unless \($0) changes it to this one" }
            ?? "another name"
    }

    /// Applies the effect of a responder of this kind on those above it.
    private mutating func follow(_ kind: ResponderKind, at place: String) {
        guard route.lane != .cascade else {
            return
        }
        switch kind {
        case .handle, .handleError: end = "never reached: handled at \(place)"
        case .catch: end = "never reached as an error: caught at \(place)"
        case .transform, .transformError: replacement = "the transform at \(place)"
        case .receive, .receiveError, .observe, .respond: break
        }
    }
}

/// One line of a dry run: a responder on the way up, or a place that has none, and whether it would
/// be asked.
struct RouteStep: Sendable {
    var path: NodePath
    /// The responder's place in its node's list; `nil` for a place without one.
    var responder: Int?
    var kind: ResponderKind?
    /// The name that it responds to; `nil` for every name.
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
