// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import Testing

/// The node `/`, which the daemon holds.
@Suite struct RootNodeTests {
    /// The holder of `/` on a bus whose daemon runs as a user and a group.
    private static func holder(userID: UInt32?, groupID: UInt32?) throws -> NodeSnapshot.Holder {
        var bus = ScenarioBus()
        bus.configuration.userID = userID
        bus.configuration.groupID = groupID
        _ = bus.run("connect anna 2 uid=1000")
        bus.ask(.tree(path: .root, depth: 0), isRepeating: false, as: 0)
        let answer = try TreeAnswer(parsing: try #require(bus.sent.last).bytes)
        let root = try #require(answer.nodes.first)
        #expect(root.path == .root)
        return try #require(root.holder)
    }

    @Test func `the root shows the process, user, group and release of the daemon`() throws {
        let holder = try Self.holder(userID: 65_534, groupID: 100)
        #expect(
            holder
                == NodeSnapshot.Holder(
                    session: SessionID(high: 0, low: 0), processID: 1, userID: 65_534,
                    groupID: 100, unit: "", program: "1"))
    }

    @Test func `the root shows root if the daemon runs as root`() throws {
        let holder = try Self.holder(userID: 0, groupID: 0)
        #expect(holder.userID == 0 && holder.groupID == 0)
    }

    @Test func `the root shows no user if the daemon's user is unknown`() throws {
        let holder = try Self.holder(userID: nil, groupID: nil)
        #expect(holder.userID == Credentials.unknown && holder.groupID == Credentials.unknown)
    }
}
