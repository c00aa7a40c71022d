// SPDX-License-Identifier: Apache-2.0

/// What the header's `code` of a trigger or visit holds: the lane, and how many causes the event
/// has had.
package struct LaneCode: Equatable, Sendable {
    package var lane: Lane
    /// 0 for what nothing on the bus brought about; one more than its cause has for all else.
    package var causes: UInt16

    package init(_ lane: Lane, causes: UInt16 = 0) {
        self.lane = lane
        self.causes = causes
    }

    /// `nil` if there is no such lane.
    package init?(rawValue: UInt32) {
        guard let lane = Lane(rawValue: UInt8(truncatingIfNeeded: rawValue)) else {
            return nil
        }
        self.init(lane, causes: UInt16(truncatingIfNeeded: rawValue >> 8))
    }

    package var rawValue: UInt32 {
        UInt32(lane.rawValue) | UInt32(causes) << 8
    }
}
