// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

extension Credentials {
    /// The credentials of a connection's peer, from libzmq's properties and the kernel's facts of
    /// the descriptor.
    ///
    /// - Parameters:
    ///   - peerAddress: `localhost:UID:GID:PID` over ipc, as the kernel reports it; the peer's
    ///     address elsewhere, which does not identify it.
    ///   - userID: the authenticator's property. A peer can send one itself, so it counts only with
    ///     the authenticator's mark.
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
