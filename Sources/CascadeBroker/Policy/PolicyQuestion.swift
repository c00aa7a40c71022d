// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// What a session has asked policy before, so that it is not matched against patterns again.
struct PolicyQuestion: Hashable, Sendable {
    /// Answers that are remembered for one session.
    static let rememberedMax = 1024

    var verb: PolicyVerb
    var path: NodePath
}
