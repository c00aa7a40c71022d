// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

extension Credentials {
    /// Who is at the other end of a connection: what libzmq notes of it, and what the kernel says
    /// of its descriptor.
    ///
    /// - Parameters:
    ///   - peerAddress: `localhost:UID:GID:PID` over ipc, the kernel's word; the peer's address
    ///     elsewhere, which says nothing of who it is.
    ///   - userID: what the doorkeeper gave it. A peer may claim one itself, so only what bears the
    ///     doorkeeper's mark counts.
    init(peerAddress: String?, userID: String?, descriptor: Int32?) {
        self.init(processID: 0, userID: Self.unknown, groupID: Self.unknown)
        key = userID.flatMap { AdmittedKey(userID: $0) }?.name
        let parts = (peerAddress ?? "").split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "localhost", let userID = UInt32(parts[1]),
            let groupID = UInt32(parts[2]), let processID = UInt32(parts[3])
        else {
            return
        }
        let process = descriptor.flatMap { PeerProcess(processID: processID, descriptor: $0) }
        self.init(
            processID: processID, userID: userID, groupID: groupID, groups: process?.groups ?? [],
            unit: process?.unit ?? "")
    }
}
