// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// Frames of the parent's bus that no link can carry, of which the gate sends the first part.
extension Bridge {
    /// Refuses what a frame asks for, of which this is the first part. A message whose outcome is too long ends
    /// as failed, with both sizes.
    package mutating func linkReceivedPart(
        _ part: [UInt8], of byteCount: Int, at now: Duration, into effects: inout [BridgeEffect]
    ) {
        let sentence =
            "a message of \(byteCount) bytes from the parent exceeds the limit of the link to "
            + "'\(configuration.name)', \(terms?.maximum ?? 0) bytes"
        guard let header = try? Header(parsing: part), header.command == .outcome,
            let (_, crossing) = crossings.remove(ticket: header.sequence)
        else {
            effects.append(.report(.changeRefused(sentence)))
            return
        }
        above.giveUp(header.sequence)
        if let token = crossing.token {
            end(token, .failed(Failure(.limitReached, message: sentence)))
        }
        finish(at: now, into: &effects)
    }
}
