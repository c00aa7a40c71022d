// SPDX-License-Identifier: Apache-2.0

import CascadeSite

/// A link with frames of at most 1,000 bytes, and what it did.
struct LinkTestEnd {
    var link: Link
    var effects: [LinkEffect] = []

    init(window: Int = 4_000) {
        link = Link(LinkSettings(window: window, maximum: 1_000), at: .zero)
    }

    mutating func receive(_ bytes: [UInt8], at milliseconds: Int = 0) {
        link.received(bytes, at: .milliseconds(milliseconds), into: &effects)
    }

    mutating func pass(to milliseconds: Int) {
        link.timePassed(at: .milliseconds(milliseconds), into: &effects)
    }

    mutating func flush(at milliseconds: Int = 0) {
        link.flush(at: .milliseconds(milliseconds), into: &effects)
    }

    /// Returns and forgets the published messages.
    mutating func published() -> [LinkMessage] {
        defer { effects = [] }
        return effects.compactMap {
            if case .publish(let bytes) = $0 {
                try? LinkMessage(parsing: bytes, maximum: 1_000)
            } else {
                nil
            }
        }
    }

    var delivered: [[UInt8]] {
        effects.compactMap { if case .deliver(let frame) = $0 { Array(frame) } else { nil } }
    }
}

extension LinkMessage {
    /// The bytes of a message whose frames have less than 64 KiB.
    static func bytes(_ sequence: UInt8, taken: UInt8 = 0, _ frames: [UInt8]...) -> [UInt8] {
        let header = [sequence] + [UInt8](repeating: 0, count: 7) + [taken]
        return frames.reduce(header + [UInt8](repeating: 0, count: 7)) { message, frame in
            message + [UInt8(frame.count % 256), UInt8(frame.count / 256), 0, 0] + frame
        }
    }
}
