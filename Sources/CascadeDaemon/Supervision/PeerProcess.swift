// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// What the kernel says of the process at the other end of a local connection, beside its number
/// and its user.
///
/// Numbers of processes and of descriptors are used again. So what is read under a number counts
/// only if that is still the number's owner afterwards.
struct PeerProcess {
    let processID: UInt32
    let descriptor: Int32

    /// Returns `nil` if the descriptor is another connection's by now.
    init?(processID: UInt32, descriptor: Int32) {
        var userID = uid_t()
        var groupID = gid_t()
        var peer = pid_t()
        guard processID > 0, cascade_peer_credentials(descriptor, &userID, &groupID, &peer) == 0,
            UInt32(bitPattern: peer) == processID
        else {
            return nil
        }
        self.processID = processID
        self.descriptor = descriptor
    }

    /// The supplementary groups that it had when it connected.
    var groups: [UInt32] {
        var groups = [gid_t](repeating: 0, count: 64)
        while true {
            let room = groups.count
            let count = groups.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.map { Int(cascade_peer_groups(descriptor, $0, UInt32(room))) }
                    ?? -1
            }
            guard count > room else {
                return count < 0 ? [] : Array(groups.prefix(count))
            }
            groups = Array(repeating: 0, count: count)
        }
    }

    /// The systemd unit that it belongs to; empty if there is none, or if the process has ended.
    var unit: String {
        // The process that connected, where the kernel can say that; else the one of its number.
        var process = cascade_peer_pidfd(descriptor)
        if process < 0 {
            process = cascade_pidfd_open(pid_t(processID))
        }
        guard process >= 0 else {
            return ""
        }
        defer { close(process) }
        let text = Self.controlGroup(of: "\(processID)")
        // A process that has ended leaves its number to others, and its connections end.
        guard let text, !Self.isReady(process, Int16(POLLIN)),
            !Self.isReady(descriptor, Self.hangUp)
        else {
            return ""
        }
        let group = ControlGroup(text)
        // On a user's own bus the units are those of the user.
        if let own = Self.own, let userUnit = group.userUnit, own.userUnit != nil,
            own.unit == group.unit
        {
            return userUnit
        }
        return group.unit ?? ""
    }

    private static let own = controlGroup(of: "self").map { ControlGroup($0) }

    private static func controlGroup(of process: String) -> String? {
        guard let file = fopen("/proc/\(process)/cgroup", "re") else {
            return nil
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(validating: bytes[..<count], as: UTF8.self)
    }

    /// poll(2): the other side has closed its end, wholly or for writing.
    private static let hangUp = Int16(POLLHUP) | 0x2000

    private static func isReady(_ descriptor: Int32, _ events: Int16) -> Bool {
        var item = pollfd(fd: descriptor, events: events, revents: 0)
        return poll(&item, 1, 0) != 0 && item.revents & events != 0
    }
}
