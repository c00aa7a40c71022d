// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension Trait where Self == ConditionTrait {
    /// For tests that libzmq cannot pass: they do not run with `CASCADE_TRANSPORT=libzmq`.
    static func onlyBuiltin(_ reason: Comment) -> Self {
        .disabled(if: ChosenTransport.isLibzmq, reason)
    }
}

/// The transport of the daemons and workers that tests start.
enum ChosenTransport {
    static var isLibzmq: Bool {
        getenv("CASCADE_TRANSPORT").map { String(cString: $0) } == "libzmq"
    }
}
