// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// The latest changes of the tree, for those that follow it. Without a follower none is recorded.
struct TreeChanges: Sendable {
    struct Change: Sendable {
        /// The place that came, changed, moved or went.
        var node: NodeIndex
        /// The path that it had, if it moved or went.
        var formerPath: NodePath?
    }

    /// How many are kept. A follower that has missed more gets the whole tree.
    static let countMax = 8_192

    private var latest: Deque<Change> = []
    private(set) var isFollowed = false
    /// The version of the tree after the last change that was recorded. The first is 1.
    private(set) var version: UInt64 = 1

    /// Sets whether changes are recorded from now on.
    mutating func setFollowed(_ isFollowed: Bool) {
        self.isFollowed = isFollowed
        if !isFollowed {
            latest = []
        }
    }

    @inline(__always)
    mutating func record(_ node: NodeIndex, from formerPath: NodePath? = nil) {
        if isFollowed {
            append(Change(node: node, formerPath: formerPath))
        }
    }

    private mutating func append(_ change: Change) {
        version += 1
        latest.append(change)
        if latest.count > Self.countMax {
            latest.removeFirst()
        }
    }

    /// Returns what changed since a version; `nil` if that is not known any more.
    func changes(since version: UInt64) -> Deque<Change>.SubSequence? {
        guard version <= self.version, self.version - version <= UInt64(latest.count) else {
            return nil
        }
        return latest.suffix(Int(self.version - version))
    }
}
