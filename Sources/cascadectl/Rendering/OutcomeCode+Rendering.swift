// SPDX-License-Identifier: Apache-2.0

import Cascade

extension OutcomeCode {
    var colour: Style.Colour {
        switch self {
        case .handled, .delivered, .cascaded: .green
        case .unhandled, .noSubscriber, .caught: .yellow
        case .failed, .timedOut, .rejected, .looped: .red
        }
    }
}
