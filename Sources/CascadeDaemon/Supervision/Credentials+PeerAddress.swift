// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Glibc

extension Credentials {
    /// Reads what libzmq notes of a connection over ipc, `localhost:UID:GID:PID`, from the right;
    /// the kernel's word. Elsewhere nothing is known.
    init(peerAddress: String?) {
        self.init(processID: 0, userID: .max, groupID: .max)
        let parts = (peerAddress ?? "").split(separator: ":")
        guard parts.count >= 4, let processID = UInt32(parts[parts.count - 1]),
            let groupID = UInt32(parts[parts.count - 2]),
            let userID = UInt32(parts[parts.count - 3])
        else {
            return
        }
        self.init(
            processID: processID, userID: userID, groupID: groupID,
            unit: Self.unit(of: processID) ?? "")
    }

    /// The systemd unit of a process, from the last component of its control group that names one.
    private static func unit(of processID: UInt32) -> String? {
        guard let file = fopen("/proc/\(processID)/cgroup", "re") else {
            return nil
        }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 4096)
        guard fgets(&line, Int32(line.count), file) != nil else {
            return nil
        }
        let text = line.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
        let suffixes = [".service", ".scope", ".socket"]
        return text.split(whereSeparator: { $0 == "/" || $0 == "\n" })
            .last { component in suffixes.contains { component.hasSuffix($0) } }
            .map(String.init)
    }
}
