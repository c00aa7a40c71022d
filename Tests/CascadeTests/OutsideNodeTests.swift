// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// Actions of the environment in code that no node runs.
@Suite(.timeLimit(.minutes(1))) struct OutsideNodeTests {
    @Environment(\.triggerEvent) private var triggerEvent
    @Environment(\.setEnvironment) private var setEnvironment
    @Environment(\.push) private var push

    private func message(_ act: () async throws -> Void) async -> String {
        do {
            try await act()
            return "nothing was thrown"
        } catch let error as CascadeError where error.code == .notRunning {
            return error.message
        } catch {
            return "\(error)"
        }
    }

    @Test func `an action in a detached task says that the task has no node, and what helps`()
        async throws
    {
        let log = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("shop").task {
                let copied = triggerEvent
                await Task.detached {
                    await log.note(await message { try await triggerEvent(ItemSelected()) })
                    await log.note(await message { try await copied(ItemSelected()) })
                }.value
                await Task {
                    await log.note(await message { try await triggerEvent(ItemSelected()) })
                }.value
            }
        }
        let entries = try await bus.run { _ in try await log.entries(3) }
        #expect(entries[0].contains("Task.detached") && entries[0].contains("constant"))
        #expect(entries[1...] == ["nothing was thrown", "nothing was thrown"])
    }

    @Test func `every action outside a node fails with the same sentence`() async {
        let messages = [
            await message { try await triggerEvent(ItemSelected()) },
            await message { try await setEnvironment(\.copies, 2) },
            await message { try await push(Node("a")) },
        ]
        #expect(Set(messages).count == 1 && messages[0].contains("no node runs this code"))
    }
}
