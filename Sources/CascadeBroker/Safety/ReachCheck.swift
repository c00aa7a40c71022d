// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Finds unreachable responders: an untyped `handle` precedes them in the list of their node, or
/// stands below on every way there.
///
/// The nodes that will trigger an event are unknown, so the routes are those from the live nodes
/// without live descendants, and from every node that declares the name; where a responder's node
/// has no live descendant, messages raised there from outside count. An error may also begin at any
/// event responder, and an event at any `catch`, just above it. A vacant place stops nothing; a
/// responder with a predicate shadows no other. Observers and responders to requests are always
/// reachable: cascades and requests pass an untyped `handle`.
///
/// Nodes are visited from the last of the tree to its first, in one turn or in several. Results of
/// a descendant that has left meanwhile are ignored.
struct ReachCheck: Sendable {
    /// A responder that nothing reaches, and the responder in the way.
    struct Finding: Equatable {
        var list: DeclaredList
        var node: NodeIndex
        var responder: Int
        var blocker: NodeIndex
    }

    /// One direction of upward messages: events, or errors.
    let list: DeclaredList
    /// The names that arrive at each place from below.
    private var arriving: [NodeIndex: ArrivingNames] = [:]
    private var hasLiveBelow: Set<NodeIndex> = []

    init(_ list: DeclaredList) {
        self.list = list
    }

    /// Returns the findings at a node, its last responder first. Its descendants must have been
    /// visited.
    mutating func visit(
        _ node: NodeIndex, in hierarchy: borrowing Hierarchy, _ declaration: SafetyDeclaration?
    ) -> (findings: [Finding], steps: Int) {
        var flow = arriving.removeValue(forKey: node) ?? ArrivingNames()
        let isHeld = hierarchy[node].holder != nil
        let isEnd = !hasLiveBelow.contains(node)
        if isEnd {
            flow.isOpen = true
        }
        var found: [Finding] = []
        for index in hierarchy[node].responders.indices {
            let responder = hierarchy[node].responders[index]
            if responder.kind.needs(list), !flow.reaches(responder.name),
                let blocker = flow.blocker, hierarchy.contains(blocker)
            {
                found.append(
                    Finding(list: list, node: node, responder: index, blocker: blocker))
            }
            if responder.kind.ends(list), responder.name == NameIndex.none,
                !responder.isConditional
            {
                flow.stop(at: node)
            }
            if responder.kind.begins(list) {
                flow.isOpen = true
            }
        }
        let steps = 1 + (hierarchy[node].responders.count + flow.names.count) / 8
        guard node != Hierarchy.root else {
            return (found.reversed(), steps)
        }
        if isEnd {
            // The place has no node from which a message could have come.
            flow.isOpen = isHeld
        }
        if let declared = declaration?[list] {
            flow.names.formUnion(declared)
        }
        let parent = hierarchy.parent(of: node)
        arriving[parent, default: ArrivingNames()].merge(flow)
        if isHeld || !isEnd {
            hasLiveBelow.insert(parent)
        }
        return (found.reversed(), steps)
    }
}

extension ResponderKind {
    /// Whether it is of no use if nothing of this list comes to it.
    fileprivate func needs(_ list: DeclaredList) -> Bool {
        switch (self, list) {
        case (.receive, .triggers), (.handle, .triggers), (.transform, .triggers): true
        case (.receiveError, .reports), (.handleError, .reports), (.transformError, .reports),
            (.catch, .reports):
            true
        default: false
        }
    }

    /// Whether nothing gets past it.
    fileprivate func ends(_ list: DeclaredList) -> Bool {
        switch (self, list) {
        case (.handle, .triggers), (.handleError, .reports), (.catch, .reports): true
        default: false
        }
    }

    /// Whether it may set something of this list on its way: an error by failing, an event by
    /// catching.
    fileprivate func begins(_ list: DeclaredList) -> Bool {
        switch (self, list) {
        case (.catch, .triggers): true
        case (.receive, .reports), (.handle, .reports), (.transform, .reports): true
        default: false
        }
    }
}
