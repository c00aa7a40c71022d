// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// The names to which nodes above respond, for which `/` stands at home.
extension Bridge {
    /// Asks for the names to which nodes above the mount respond. The session asks again on each link.
    mutating func askForNames(above mount: NodePath) {
        askAgain(\.names, .summary(path: mount))
    }

    mutating func applyNames(
        _ message: [UInt8], at now: Duration, into effects: inout [BridgeEffect]
    ) {
        guard let answer = try? DocumentAnswer(parsing: message),
            let names = try? NamesAbove(summary: answer.document)
        else {
            lose(closing: "the answer about the names above is not valid", at: now, into: &effects)
            return
        }
        apply(names)
    }

    /// The link cannot carry the names above: every name may be responded to.
    mutating func namesAreTooMany() {
        apply(.every)
    }

    private mutating func apply(_ names: NamesAbove) {
        aboveQueries.names.isAnswered = true
        let isChanged = names != namesAbove
        namesAbove = names
        if isChanged, rootDeclaration.isCarrying {
            declareRoot()
        }
    }
}
