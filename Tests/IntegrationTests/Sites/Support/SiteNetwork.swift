// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// Two network namespaces joined by a cable: hq and its server are in one, ulm in the other.
///
/// A process holds each namespace; with it the namespace and its end of the cable go.
@FaultThread
final class SiteNetwork {
    /// A site, which names its end of the cable.
    enum End: String, CaseIterable {
        case hq
        case ulm

        /// The address of the end, one that no network has (RFC 5737).
        var host: String {
            self == .hq ? "192.0.2.1" : "192.0.2.2"
        }

        var other: End {
            self == .hq ? .ulm : .hq
        }
    }

    private static let device = "cable"

    private let holders: [End: SpawnedProgram]

    init() throws {
        var holders: [End: SpawnedProgram] = [:]
        for end in End.allCases {
            let holder = try SpawnedProgram(
                "/usr/bin/unshare",
                ["--net", "/bin/sh", "-c", "ip link set lo up && echo ready && exec cat"], bus: "")
            try #require(try holder.output.line(containing: "ready") != nil)
            holders[end] = holder
        }
        self.holders = holders
        let other = try #require(holders[.ulm]).processID
        try run(
            .hq,
            "link", "add", Self.device, "type", "veth", "peer", "name", Self.device, "netns",
            "\(other)")
        for end in End.allCases {
            try run(end, "address", "add", "\(end.host)/30", "dev", Self.device)
            try run(end, "link", "set", Self.device, "up")
        }
    }

    /// A program and its arguments that run a program in the namespace of an end.
    func wrapper(_ end: End) -> [String] {
        ["/usr/bin/nsenter", "--target", "\(holders[end]?.processID ?? 0)", "--net"]
    }

    // MARK: - Faults

    /// Pulls the cable out, or plugs it in again.
    func setCable(isUp: Bool) throws {
        try run(.hq, "link", "set", Self.device, isUp ? "up" : "down")
    }

    /// Discards what an end sends to the other one, or no longer.
    func setBlackhole(from end: End, isThere: Bool) throws {
        try run(end, "route", isThere ? "add" : "delete", "blackhole", "\(end.other.host)/32")
    }

    /// Limits what an end sends to so many bits in a second.
    func limitRate(of end: End, bitsPerSecond: Int) throws {
        try #require(
            try ends(
                end,
                [
                    "tc", "qdisc", "add", "dev", Self.device, "root", "tbf", "rate",
                    "\(bitsPerSecond)bit", "burst", "4kb", "limit", "64kb",
                ]))
    }

    /// Whether the kernel can limit a rate.
    nonisolated static let canLimitRate = {
        let command =
            "ip link set lo up && tc qdisc add dev lo root tbf rate 64kbit burst 4kb limit 64kb"
        return Namespaces.succeed(["--net", "/bin/sh", "-c", command])
    }()

    private func run(_ end: End, _ arguments: String...) throws {
        try #require(try ends(end, ["ip"] + arguments), "ip \(arguments) has failed")
    }

    /// Whether a command in the namespace of an end succeeds.
    private func ends(_ end: End, _ command: [String]) throws -> Bool {
        let wrapper = wrapper(end)
        let ending = try SpawnedProgram(wrapper[0], wrapper.dropFirst() + command, bus: "").end()
        return ending.exitCode == 0
    }
}
