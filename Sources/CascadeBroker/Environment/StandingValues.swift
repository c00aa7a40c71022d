// SPDX-License-Identifier: Apache-2.0

/// What is set for one key at one place: by the node there, and for the path.
///
/// The later of the two stands, for whoever may see it. The other one comes to light again when
/// that is taken back: a node's value when somebody outside unsets theirs, and what is kept for the
/// path when the node goes.
struct StandingValues: Sendable {
    /// By the node; goes with it.
    var held: SetValue?
    /// For the path; stays until it is unset.
    var kept: SetValue?

    var isEmpty: Bool {
        held == nil && kept == nil
    }

    /// What stands for what is below the place.
    var forSubtree: SetValue? {
        guard let held, let kept else {
            return held ?? kept
        }
        return held.order > kept.order ? held : kept
    }

    /// What stands for the node at the place.
    var forItself: SetValue? {
        let held = held?.isForItself == true ? held : nil
        let kept = kept?.isForItself == true ? kept : nil
        return StandingValues(held: held, kept: kept).forSubtree
    }
}
