// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The part of an event's way up that declarations have been held against, so that each node that
/// declares names looks at an event once under each name.
struct CheckedPart: Equatable, Sendable {
    /// The last place that was looked at; ``Slab/Index/none`` if none was.
    var last = NodeIndex.none
    var name = NameIndex.none
    var list = DeclaredList.triggers
}
