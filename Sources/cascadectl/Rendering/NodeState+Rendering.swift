// SPDX-License-Identifier: Apache-2.0

import Cascade

extension NodeState {
    var glyph: String {
        switch self {
        case .live: "●"
        case .inactive: "◐"
        case .unresponsive: "✗"
        case .leaving: "◌"
        case .vacant: "○"
        }
    }

    var colour: Style.Colour {
        switch self {
        case .live: .green
        case .inactive, .vacant: .dim
        case .leaving: .yellow
        case .unresponsive: .red
        }
    }
}
