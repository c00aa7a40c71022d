// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// The example of the post on cascading environment actions, ported: a checkout that several ancestors
/// are told of.
@Suite(.timeLimit(.minutes(1))) struct CascadingActionSeedTests {
    /// The key of the action, and its input.
    struct CheckoutCompletion: Event {}

    struct CheckoutScreen: NodeConvertible {
        @Environment(\.cascade) var cascade

        var node: Node {
            Node("checkout").task {
                try await cascade(CheckoutCompletion())
            }
        }
    }

    struct Parent: NodeConvertible {
        let log: Journal

        var node: Node {
            Node("parent") { CheckoutScreen() }
                .onCheckoutCompletion { await log.note("first") }
        }
    }

    struct DistantParent: NodeConvertible {
        let log: Journal

        var node: Node {
            Node("distant") { Parent(log: log) }
                .onCheckoutCompletion { await log.note("second") }
        }
    }

    @Test func `every ancestor's action runs, from the nearest to the root`() async throws {
        let log = Journal()
        try await LoopbackBus(mount: .root) { DistantParent(log: log) }.run { bus in
            await bus.advance(by: .zero)
        }
        #expect(await log.entries == ["first", "second"])
    }

    @Test func `a node's own action serves its descendants and not its own call`() async throws {
        let log = Journal()
        let bus = LoopbackBus(mount: .root) {
            CheckoutScreen().onCheckoutCompletion { await log.note("own") }
        }
        try await bus.run { await $0.advance(by: .zero) }
        #expect(await log.entries.isEmpty)
    }

    @Test func `at the root a cascade without actions does nothing, and is no error`() async throws
    {
        try await LoopbackBus(mount: .root) { Node("app") }.run { bus in
            let outcome = try await bus.cascade(CheckoutCompletion(), from: "/app").outcome
            #expect(outcome == .cascaded(through: [], failures: []))
        }
    }
}

extension NodeConvertible {
    /// A modifier of the program's own, as the post ends with one.
    fileprivate func onCheckoutCompletion(
        _ perform: @escaping @Sendable () async throws -> Void
    ) -> Node {
        cascadingAction(CascadingActionSeedTests.CheckoutCompletion.self, perform)
    }
}
