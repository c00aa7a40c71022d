// SPDX-License-Identifier: Apache-2.0

import Cascade

extension NodeSnapshot {
    /// Returns the visits and deliveries per second: since an earlier snapshot of the same session,
    /// else since the attachment. `nil` if no session holds the place.
    func rate(since earlier: NodeSnapshot?) -> String? {
        guard !path.isRoot, let holder, let visits = counter("visits") else {
            return nil
        }
        if let earlier, earlier.holder?.session == holder.session,
            earlier.ageMicroseconds < ageMicroseconds,
            let before = earlier.counter("visits"), before <= visits
        {
            return Rate.text(
                count: visits - before, microseconds: ageMicroseconds - earlier.ageMicroseconds)
        }
        return Rate.text(count: visits, microseconds: ageMicroseconds)
    }
}
