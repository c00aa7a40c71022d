// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import Glibc

/// The identity for a policy test.
struct IdentityOptions: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "User by name or number, or unit by name with its suffix, such as .service.",
            valueName: "user|unit"))
    var somebody: String?

    @Option(help: ArgumentHelp("User by name or number.", valueName: "user"))
    var user: String?

    @Option(help: ArgumentHelp("Systemd unit.", valueName: "unit"))
    var unit: String?

    @Option(
        help: ArgumentHelp(
            "Group by name or number, instead of the user's groups; may be repeated.",
            valueName: "group"))
    var group: [String] = []

    @Option(help: ArgumentHelp("Name of an authorized key.", valueName: "name"))
    var key: String?

    private static let unitSuffixes = [".service", ".scope", ".socket", ".mount", ".swap"]

    /// Returns the identity; `nil` without options. Throws ``Stop`` if there is no such user or
    /// group.
    func identity() throws -> PolicyIdentity? {
        var identity = PolicyIdentity(unit: unit ?? "", key: key)
        var user = user
        if let somebody {
            if Self.unitSuffixes.contains(where: { somebody.hasSuffix($0) }) {
                identity.unit = somebody
            } else {
                user = somebody
            }
        }
        if let user {
            let found = try Self.user(user)
            identity.userID = found.userID
            identity.groupIDs = group.isEmpty ? found.groupIDs : []
        }
        for name in group {
            identity.groupIDs.append(try Self.group(name))
        }
        return identity == PolicyIdentity() ? nil : identity
    }

    private static func user(_ name: String) throws -> (userID: UInt32, groupIDs: [UInt32]) {
        guard let entry = UInt32(name).map({ getpwuid($0) }) ?? getpwnam(name) else {
            guard let number = UInt32(name) else {
                throw Stop(.usage, "there is no user '\(name)'")
            }
            return (number, [])
        }
        var count: Int32 = 256
        var groups = [gid_t](repeating: 0, count: Int(count))
        let record = entry.pointee
        guard getgrouplist(record.pw_name, record.pw_gid, &groups, &count) >= 0 else {
            return (record.pw_uid, [record.pw_gid])
        }
        return (record.pw_uid, Array(groups.prefix(Int(count))))
    }

    private static func group(_ name: String) throws -> UInt32 {
        if let number = UInt32(name) {
            return number
        }
        guard let entry = getgrnam(name) else {
            throw Stop(.usage, "there is no group '\(name)'")
        }
        return entry.pointee.gr_gid
    }
}
