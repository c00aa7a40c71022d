// SPDX-License-Identifier: Apache-2.0

import Cascade

extension NodeSnapshot {
    /// Events and deliveries that it answered a second, since an earlier look or, where that does
    /// not know it in these hands, since it attached. `nil` where nobody could answer.
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
