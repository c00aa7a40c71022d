// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension Duration {
    /// Returns the earliest of the times that are known; `nil` if none is.
    package static func earliest(_ times: Duration?...) -> Duration? {
        var earliest: Duration?
        for case let time? in times {
            earliest = min(time, earliest ?? time)
        }
        return earliest
    }

    /// Returns this duration, moved towards another one by a part of the difference.
    func moved(towards other: Duration, byOneOf parts: Int64) -> Duration {
        self + .nanoseconds((other - self).wholeNanoseconds / parts)
    }
}
