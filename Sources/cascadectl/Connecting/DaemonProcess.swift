// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The process that serves an endpoint.
enum DaemonProcess {
    /// Returns its ID if the kernel and the daemon agree. The daemon may be on another machine or
    /// in another PID namespace. A daemon whose socket systemd opened has it among its descriptors.
    /// Throws ``Stop`` otherwise.
    static func id(behind endpoint: String, claimed: UInt32) throws -> pid_t {
        guard let served = try EndpointProbe.listener(endpoint) else {
            throw Stop(
                .usage, "the bus at \(endpoint) may be on another machine; send SIGHUP to it there")
        }
        if let process = pid_t(exactly: claimed), process > 1, UInt32(served) != claimed,
            ListeningSockets()?.isHeld(
                String(endpoint.dropFirst("ipc://".count)), by: process) == true
        {
            return process
        }
        guard served > 1, UInt32(served) == claimed else {
            throw Stop(
                .failure,
                "the daemon claims to be process \(claimed), but the socket belongs to process "
                    + "\(served); send SIGHUP to the daemon by other means")
        }
        return served
    }

    /// Returns whether the process handles or ignores SIGHUP. Returns `true` if that is unknown.
    static func takesHangUp(_ process: pid_t) -> Bool {
        guard let bytes = try? InputFile(path: "/proc/\(process)/status").read() else {
            return true
        }
        let masks = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("SigCgt:") || $0.hasPrefix("SigIgn:") }
            .compactMap { UInt64($0.dropFirst(7).drop(while: \.isWhitespace), radix: 16) }
        return masks.isEmpty || masks.contains { $0 & (1 << UInt64(SIGHUP - 1)) != 0 }
    }
}
