// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSimulator

/// Handovers from one daemon to the next.
extension ScenarioBus {
    /// `handover [reattach=2s] …`, with the arguments of `bus`: the daemon ends abruptly, and
    /// another one begins with its handover.
    mutating func handOver(_ command: ScenarioCommand) throws(Unusable) {
        let left = box?.broker.handover()
        try configure(command)
        var successor = Broker(configuration: configuration, at: now)
        do {
            if let left {
                let read = try Handover(decoding: left.encoded())
                if read != left {
                    output.append("BUG: what is read is not what was written")
                }
                successor.restore(read)
            }
        } catch {
            throw Unusable(reason: "the handover cannot be read: \(error)")
        }
        box = BrokerBox(successor)
        payloads = PayloadWatch()
        labelled = []
    }
}
