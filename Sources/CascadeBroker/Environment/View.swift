// SPDX-License-Identifier: Apache-2.0

/// From where the environment is read: as the node at a place reads it, or as what is below does.
struct View: Hashable, Sendable {
    var place: NodeIndex
    var isItself: Bool

    /// The view that has all that this one sees beyond its own place; `nil` at the root.
    ///
    /// What is presented reads as its parent itself does, and so sees nothing of what that sets for
    /// its subtree.
    func outer(in hierarchy: borrowing Hierarchy) -> View? {
        guard place != Hierarchy.root else {
            return nil
        }
        return View(
            place: hierarchy.parent(of: place), isItself: hierarchy[place].isPresented)
    }
}
