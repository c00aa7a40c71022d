// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// A broker with two conforming peers, one of which handles the other's events, and hostile peers
/// that send anything at any time. Every raised message ends all the same.
enum BrokerFuzzing {
    static func run(_ bytes: [UInt8]) {
        var bus = FuzzedBus()
        bus.open()
        var source = ByteSource(bytes)
        while let action = source.byte() {
            let peer = Int(action >> 4 & 3)
            switch action & 15 {
            case 0 where action & 0x40 != 0: bus.exit(peer)
            case 0: bus.lose(peer)
            case 1: bus.pass(milliseconds: UInt32(source.byte() ?? 0) * 100)
            case 2: bus.greet(peer)
            case 3: bus.malformed(peer)
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
