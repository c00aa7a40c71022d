// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// Exits of processes. The daemon learns of them before it has read all that the processes had written.
extension SimulatedDaemon {
    /// Reports each exited process to the broker, before a message that needs it: the kernel's report can
    /// arrive at any time.
    func reportExits() {
        for connection in simulation.network.all {
            guard let peer = simulation.network[connection]?.peer, hasExited(connection),
                !simulation.triggers(.unreportedExit), exited.insert(peer).inserted
            else {
                continue
            }
            handle(.exited(peer))
        }
    }

    /// Whether the process at the other end has exited.
    private func hasExited(_ connection: ConnectionID) -> Bool {
        guard let found = simulation.network[connection] else {
            return true
        }
        let process = simulation.processes[found.process]
        return process.incarnation != found.incarnation || process.state == .down
    }

    /// Checks that no process is refused a place of which all holders have exited.
    func checkSuccession(_ header: Header, _ code: ErrorCode, of peer: PeerID) {
        guard code == .pathTaken, let connection = connections[peer], !hasExited(connection) else {
            return
        }
        let paths = wiretap.peers[peer]?.declarations[header.id]?.map(\.path) ?? []
        let holders = wiretap.nodes.values.filter { paths.contains($0.path) }.map(\.holder)
        let hasLivingHolder = holders.contains { holder in
            connections[holder].map { !hasExited($0) } ?? false
        }
        if !holders.isEmpty, !hasLivingHolder {
            simulation.addFinding(
                Finding(
                    "succession",
                    "\(peer.index) is refused a place of which all holders have exited"))
        }
    }
}
