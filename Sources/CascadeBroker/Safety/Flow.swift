// SPDX-License-Identifier: Apache-2.0

/// What may come up to a place, as far as the tree and its declarations tell.
struct Flow: Sendable {
    /// Anything may come.
    var isOpen = false
    /// Names that may arrive in any case, because a node below declares them.
    var names: Set<NameIndex> = []
    /// The node whose untyped responder lets nothing through, if there is one.
    var blocker: NodeIndex?

    /// Whether something may come for a responder to `name`, or to every name.
    func reaches(_ name: NameIndex) -> Bool {
        isOpen || (name == NameIndex.none ? !names.isEmpty : names.contains(name))
    }

    /// A responder that nothing gets past.
    mutating func stop(at node: NodeIndex) {
        isOpen = false
        names = []
        blocker = node
    }

    mutating func merge(_ other: Flow) {
        isOpen = isOpen || other.isOpen
        names.formUnion(other.names)
        blocker = blocker ?? other.blocker
    }
}
