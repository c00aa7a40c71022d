// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

extension BusDocument {
    /// Creates the status of the bus from a dump.
    init(_ dump: Dump) throws {
        let status = try dump.document("status")
        let since = status["since"]?.string.flatMap { Timestamp($0) } ?? dump.moment
        self.init(
            answer: BusAnswer(
                request: 0, bus: dump.bus, release: status["release"]?.string ?? "",
                processID: status["pid"]?.integer() ?? 0,
                ageMicroseconds: dump.moment.microseconds(since: since),
                counters: NamedNumber.list(status["counters"]),
                limits: NamedNumber.list(status["limits"]),
                uses: NamedNumber.list(status["uses"])),
            now: dump.moment)
    }
}
