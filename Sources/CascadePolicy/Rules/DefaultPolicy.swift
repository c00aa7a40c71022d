// SPDX-License-Identifier: Apache-2.0

/// The default policy: the bus's user and root may do everything; members of the socket's group may
/// attach, subscribe, trigger, publish and inspect.
package struct DefaultPolicy: Sendable {
    /// The ID of the bus's user.
    package var userID: UInt32
    /// The ID of the group of the workers' socket; `nil` if there is none.
    package var groupID: UInt32?

    package init(userID: UInt32, groupID: UInt32?) {
        self.userID = userID
        self.groupID = groupID
    }

    /// Returns the default rules with those of `files`. A file can omit the rules for the group.
    package func joined(with files: [PolicyFile]) -> Policy {
        let keepsGroup = !files.contains(where: \.leavesOutDefault)
        return Policy(
            ownerRules + (keepsGroup ? groupRules : []) + files.flatMap(\.rules),
            fileCount: files.count)
    }

    private var ownerRules: [PolicyRule] {
        (userID == 0 ? [0] : [userID, 0]).map { userID in
            PolicyRule(
                isAllowing: true, .all, .everything, .user(userID), at: nil,
                text: "allow all / to user \(userID)")
        }
    }

    private var groupRules: [PolicyRule] {
        let verbs: [PolicyVerb] = [.attach, .subscribe, .trigger, .publish, .inspect]
        let names = verbs.map(\.name).joined(separator: ", ")
        return groupID.map { groupID in
            [
                PolicyRule(
                    isAllowing: true, PolicyVerbs(verbs.map { PolicyVerbs($0) }), .everything,
                    .group(groupID), at: nil, text: "allow \(names) / to group \(groupID)")
            ]
        } ?? []
    }
}
