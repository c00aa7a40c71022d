// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import CascadeJSON
import CascadePolicy
import Glibc

/// The policy of the bus.
struct PolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Policy: the rules that allow or deny actions.",
        subcommands: [PolicyList.self, PolicyTestCommand.self],
        defaultSubcommand: PolicyList.self)
}

/// Lists the rules of the active policy.
struct PolicyList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the rules of the active policy, with their files.",
        discussion: """
            A rule without a file belongs to the default policy. A denying rule overrides all \
            others, actions without an allowing rule are denied, and the order of the rules does \
            not matter.

            Example: cascadectl policy
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var asked: SiteOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let policy = try await bus.withBus(asking: asked.site) { bus in
            try ShownDocument<PolicyDocument>(await bus.query(.policy))
        }
        try output.conclude(policy)
    }
}

extension PolicyDocument: TextDocument {
    func text(_ style: Style) -> String {
        guard !rules.isEmpty else {
            return "there are no rules: every action is denied"
        }
        var table = Table(["FILE", "LINE", "RULE"], wrapping: [2])
        for rule in rules {
            table.append([
                Cell(rule.file ?? "default", .dim),
                Cell(rule.line.map(String.init) ?? ""),
                Cell(rule.rule, rule.effect == "deny" ? .red : .green),
            ])
        }
        return table.text(style)
    }
}

/// Tests a policy decision.
struct PolicyTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Test whether the policy allows an action, and why.",
        discussion: """
            The subject is a user of this machine with the user's groups, a systemd unit, or both; \
            without an option, the caller. A test is about one action; 'all' of a policy file means \
            each of them. Exits with 3 if the action is denied.

            Example: cascadectl policy test attach /kitchen --as kitchen.service
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var asked: SiteOptions
    @OptionGroup var output: PlainOutputOptions
    @OptionGroup var subject: IdentityOptions

    @Argument(
        help: ArgumentHelp(
            "One action: \(PolicyVerb.allCases.map(\.name).joined(separator: ", "))."),
        completion: .list(PolicyVerb.allCases.map(\.name)))
    var verb: String

    @Argument(help: "Path of the action.", transform: NodePath.argument)
    var path: NodePath

    func run() async throws {
        guard PolicyVerb(name: verb) != nil else {
            let known = PolicyVerb.allCases.map(\.name).joined(separator: ", ")
            throw Stop(
                .usage,
                verb == "all"
                    ? "'all' means every verb of a policy; test one of them: \(known)"
                    : "unknown verb '\(verb.escapedForDisplay())'; the verbs are \(known)")
        }
        let test = PolicyTest(verb, at: path, by: try subject.identity())
        let decision = try await bus.withBus(asking: asked.site) { bus in
            try ShownDocument<PolicyTestDocument>(await bus.query(.policyTest(test)))
        }
        try output.conclude(decision)
    }
}

/// The identity whose permissions a policy test asks about.
struct IdentityOptions: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "User by name or number, or unit by name with its suffix, such as .service.",
            valueName: "user|unit"))
    var userOrUnit: String?

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

    /// Returns the identity; `nil` if no option is given. Throws ``Stop`` if a user or group does
    /// not exist.
    func identity() throws -> PolicyIdentity? {
        var identity = PolicyIdentity(unit: unit ?? "", key: key)
        var user = user
        if let userOrUnit {
            if Self.unitSuffixes.contains(where: { userOrUnit.hasSuffix($0) }) {
                identity.unit = userOrUnit
            } else {
                user = userOrUnit
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

extension PolicyTestDocument: TextDocument {
    var status: ExitStatus {
        allowed ? .done : .negative
    }

    func text(_ style: Style) -> String {
        let verdict = allowed ? "allowed" : "denied"
        return "\(verb) \(path): \(verdict)".safeForTerminal + "\n" + why.safeForTerminal
    }
}
