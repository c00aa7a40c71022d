// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// How long something is out of order that is so for long: 30 s where `CASCADE_MEASURE` is set, and
/// otherwise as long as it takes for everybody to notice.
@FaultThread
enum Outage {
    private static var seconds: Int {
        getenv("CASCADE_MEASURE") == nil ? 3 : 30
    }

    /// Returns once it has lasted: a command that gives up proves that time has passed, whether the
    /// daemon stands still or not.
    static func last(on bus: FaultBus) throws {
        for _ in 1...3 {
            let impatient = try bus.run(["wait", "/nobody", "--timeout", "\(seconds / 3)s"])
            #expect(impatient.exitCode == 75, "\(impatient.diagnostics.text)")
        }
    }
}
