// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Checks that every message of two conforming peers ends, although hostile peers send anything at any
/// time.
enum BrokerFuzzing {
    static func run(_ bytes: [UInt8]) {
        var bus = FuzzedBus()
        bus.open()
        var source = ByteSource(bytes)
        while let action = source.byte() {
            let peer = Int(action >> 4 & 3)
            switch action & 15 {
            case 0 where action & 0x40 != 0: bus.exit(peer)
            case 0: bus.endConnection(peer)
            case 1: bus.advance(milliseconds: UInt32(source.byte() ?? 0) * 100)
            case 2: bus.greet(peer)
            case 3: bus.receiveMalformed(from: peer)
            case 4: bus.load(source.block() ?? [])
            case 5...7: bus.raise()
            default:
                guard let message = source.block() else {
                    break
                }
                bus.receive(message, from: peer)
            }
        }
        bus.settle()
    }
}
