// SPDX-License-Identifier: Apache-2.0

extension Handover: CustomStringConvertible {
    package var description: String {
        let held = places.count { $0.isHeld }
        return "\(held) held and \(places.count - held) vacant places, \(values.count) values, "
            + "\(undelivered.count) undelivered events"
    }
}
