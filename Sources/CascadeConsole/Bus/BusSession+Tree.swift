// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeWire
import Logging

/// The tree and the counters of its nodes, which the bus tells when they change.
extension BusSession {
    /// The time between two questions for a large tree of a bus that tells no changes.
    private static let largeTreeTime = Duration.seconds(5)
    /// The number of nodes of a tree that is not large.
    private static let smallTreeMax = 1_000
    /// The time between two readings of the counters of nodes, in milliseconds.
    private static let activityMilliseconds: UInt32 = 1_000

    /// Follows the tree, and begins anew whenever a daemon has accepted the session: it may be another one.
    func followTree(_ link: Link, _ welcomes: AsyncStream<Void>) async throws {
        let names = UserNames()
        var isWelcome = true
        while isWelcome, !Task.isCancelled {
            isWelcome = try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await self.followTree(link, names)
                    return false
                }
                group.addTask {
                    for await _ in welcomes {
                        return true
                    }
                    return false
                }
                defer { group.cancelAll() }
                return try await group.next() ?? false
            }
        }
    }

    private func followTree(_ link: Link, _ names: UserNames) async throws {
        do {
            try await followTree(link, names, depth: .max)
        } catch let error as CascadeError where error.reason == .limitReached {
            // The whole tree is longer than an answer may be.
            let depth = try await depthOfAnswer(link)
            logger.notice(
                "the tree is too large to be told whole: pages show it down to level \(depth)")
            try await followTree(link, names, depth: depth)
        }
        if await console.view.isOlder {
            try await askForTree(link, names)
        }
    }

    /// The number of levels below the root for which an answer of the bus has room, and of which pages are
    /// told.
    private func depthOfAnswer(_ link: Link) async throws -> UInt32 {
        var depth: UInt32 = 0
        var count = 0
        while count <= FollowedTree.toldCountMax {
            let before = count
            do {
                let message = try await link.query(.tree(path: .root, depth: depth + 1))
                count = try TreeAnswer(parsing: message).nodes.count
            } catch let error as CascadeError where error.reason == .limitReached {
                return depth
            }
            guard count > before else {
                // The tree has become smaller.
                return .max
            }
            depth += 1
        }
        return depth
    }

    private func followTree(_ link: Link, _ names: UserNames, depth: UInt32) async throws {
        let levels = depth < .max ? Int(depth) : nil
        for try await message in try await link.answers(.treeChanges(path: .root, depth: depth)) {
            let answer = try TreeAnswer(parsing: message)
            await console.update { view in
                view.received(tree: answer, depth: levels, now: .now, userName: names.name)
            }
            guard answer.version > 0 else {
                logger.notice("the bus is of an older release, and tells no changes of its tree")
                break
            }
        }
    }

    /// Asks a bus of an older release for its tree while a page is visible, for a large one less often.
    private func askForTree(_ link: Link, _ names: UserNames) async throws {
        while !Task.isCancelled {
            await console.waitUntilWatched()
            let answer = try TreeAnswer(
                parsing: await link.query(.tree(path: .root, depth: .max)))
            await console.update { $0.received(tree: answer, now: .now, userName: names.name) }
            let isLarge = answer.nodes.count > Self.smallTreeMax
            try await Task.sleep(for: isLarge ? Self.largeTreeTime : Self.pollTime)
        }
    }

    func followActivity(_ link: Link) async throws {
        guard await !console.view.isOlder else {
            await console.waitUntilUnwatched()
            return
        }
        let subject = Query.Subject.activity(
            path: .root, milliseconds: Self.activityMilliseconds)
        for try await message in try await link.answers(subject) {
            let answer = try ActivityAnswer(parsing: message)
            await console.update { $0.received(activity: answer, now: .now) }
        }
    }
}
