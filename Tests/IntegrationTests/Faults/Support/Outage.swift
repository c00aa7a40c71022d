// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// The duration of a long outage: 30 s with `CASCADE_MEASURE`, and
/// otherwise as long as every process needs to detect it.
@FaultThread
enum Outage {
    private static var seconds: Int {
        Measuring.isOn ? 30 : 3
    }

    /// Waits for the duration: a command that times out proves that time has passed, even while the
    /// daemon is stopped.
    static func last(on bus: FaultBus) throws {
        for _ in 1...3 {
            let impatient = try bus.run(["wait", "/never", "--timeout", "\(seconds / 3)s"])
            #expect(impatient.exitCode == 75, "\(impatient.diagnostics.text)")
        }
    }
}
