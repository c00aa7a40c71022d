// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import ZeroMQ

/// The process at the other end of a local connection, as the kernel describes it.
///
/// Process IDs and descriptors are reused. So facts read by a process ID are valid only if the ID
/// still belongs to the process afterwards.
struct PeerProcess {
    let processID: UInt32
    let descriptor: Int32
    private let acceptTime: Duration?

    /// Returns `nil` if the descriptor belongs to another process' connection by now.
    ///
    /// - Parameter acceptTime: when the connection was accepted, on the monotonic clock; `nil` if it
    ///   was just now.
    init?(processID: UInt32, descriptor: Int32, acceptTime: Duration?) {
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
        self.acceptTime = acceptTime
    }

    // MARK: - Its descriptor

    /// Opens a descriptor of the process that connected, which the caller closes; -1 if the process has
    /// been reaped. Before Linux 6.5 the kernel knows the process by its ID alone.
    static func open(_ processID: UInt32, connection: Int32, acceptTime: Duration?) -> Int32 {
        let process = cascade_peer_pidfd(connection)
        guard process < 0, errno == ENOPROTOOPT else {
            return process
        }
        return open(byID: processID, acceptTime: acceptTime)
    }

    /// Opens a descriptor of the process with an ID; -1 if the process has started after the connection was
    /// accepted: the process that connected has been reaped, and another one has its ID.
    static func open(byID processID: UInt32, acceptTime: Duration?) -> Int32 {
        let process = cascade_pidfd_open(pid_t(processID))
        guard process >= 0 else {
            return -1
        }
        // The start is that of the same process if the process still runs afterwards.
        guard let start = startTicks(of: processID), start <= ticks(of: acceptTime),
            !isReady(process, Int16(POLLIN))
        else {
            close(process)
            return -1
        }
        return process
    }

    /// When a process has started, in clock ticks since the system's boot (proc(5)).
    private static func startTicks(of processID: UInt32) -> Int64? {
        let startIndex = 19
        // The name of the program, in parentheses, may contain any character.
        guard let text = text(of: "\(processID)/stat"), let end = text.lastIndex(of: ")")
        else {
            return nil
        }
        let fields = text[end...].dropFirst().split(separator: " ")
        return fields.count > startIndex ? Int64(fields[startIndex]) : nil
    }

    /// A time of the monotonic clock, or now, in the same unit.
    private static func ticks(of time: Duration?) -> Int64 {
        let age = time.map { MonotonicClock.time - $0 } ?? .zero
        // Unlike the monotonic clock, this one runs while the system is suspended.
        let sinceBoot = Duration.nanoseconds(Int64(BootClock.now()))
        let ticksPerSecond = sysconf(Int32(_SC_CLK_TCK))
        return Int64((sinceBoot - max(.zero, age)) * ticksPerSecond / .seconds(1))
    }

    // MARK: - Facts

    /// The supplementary groups that the process had when it connected.
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

    /// The systemd unit of the process; empty if it has none or the process has exited.
    var unit: String {
        let process = Self.open(processID, connection: descriptor, acceptTime: acceptTime)
        guard process >= 0 else {
            return ""
        }
        defer { close(process) }
        let text = Self.controlGroup(of: "\(processID)")
        // The ID of an exited process may belong to another one.
        guard let text, !Self.isReady(process, Int16(POLLIN)),
            !Self.isReady(descriptor, Self.hangUp)
        else {
            return ""
        }
        let group = ControlGroup(text)
        // On a user's own bus the units are those of the user's systemd.
        if let own = Self.own, let userUnit = group.userUnit, own.userUnit != nil,
            own.unit == group.unit
        {
            return userUnit
        }
        return group.unit ?? ""
    }

    private static let own = controlGroup(of: "self").map { ControlGroup($0) }

    private static func controlGroup(of process: String) -> String? {
        text(of: "\(process)/cgroup")
    }

    /// The contents of a file of proc(5).
    private static func text(of path: String) -> String? {
        guard let file = fopen("/proc/\(path)", "re") else {
            return nil
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(validating: bytes[..<count], as: UTF8.self)
    }

    /// The poll(2) events of a peer that closed its end, fully or for writing (POLLRDHUP).
    private static let hangUp = Int16(POLLHUP) | 0x2000

    private static func isReady(_ descriptor: Int32, _ events: Int16) -> Bool {
        var item = pollfd(fd: descriptor, events: events, revents: 0)
        return poll(&item, 1, 0) != 0 && item.revents & events != 0
    }
}

/// The systemd units of a process, according to its control group (cgroups(7), systemd.unit(5)).
///
/// systemd places a unit below its slices. The control groups below the unit belong to the unit: a
/// user's systemd can give them any name. So the system's unit is the first component that is not a
/// slice.
struct ControlGroup: Equatable {
    /// The unit of the system's systemd.
    let unit: String?
    /// The unit of a user's systemd, if ``unit`` is that systemd.
    let userUnit: String?

    private static let suffixes = [".service", ".scope", ".socket", ".mount", ".swap"]

    /// Parses the contents of `/proc/PID/cgroup`.
    init(_ text: some StringProtocol) {
        let components = Self.path(in: text)
        unit = Self.unit(of: components)
        guard let unit, unit.hasPrefix("user@"), unit.hasSuffix(".service"),
            let place = components.firstIndex(of: unit)
        else {
            userUnit = nil
            return
        }
        userUnit = Self.unit(of: Array(components[(place + 1)...]))
    }

    /// The path in the hierarchy that systemd maintains: the only one, or the one named
    /// `name=systemd`.
    private static func path(in text: some StringProtocol) -> [String] {
        let paths = text.split(separator: "\n").compactMap { line -> (name: Substring, String)? in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            return parts.count == 3 ? (Substring(parts[1]), String(parts[2])) : nil
        }
        let path =
            paths.first { $0.name == "name=systemd" && $0.1 != "/" }
            ?? paths.first { $0.name == "" }
        return (path?.1 ?? "").split(separator: "/").map { component in
            // systemd prefixes an underscore to names that would conflict with the kernel's files.
            component.hasPrefix("_") ? String(component.dropFirst()) : String(component)
        }
    }

    private static func unit(of components: [String]) -> String? {
        let first = components.first { !$0.hasSuffix(".slice") }
        return first.flatMap { name in
            suffixes.contains { name.hasSuffix($0) } ? name : nil
        }
    }
}
