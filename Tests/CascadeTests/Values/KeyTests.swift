// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Cascade

/// Keys, their names, and values without a bus.
@Suite struct KeyTests {
    private struct Key: EnvironmentKey {
        static let defaultValue = 1
    }

    @Test func `a key has its type's name without 'Key', unless it declares another`() {
        #expect(PaperSizeKey.name == "paperSize")
        #expect(IsOpenKey.name == "isOpen")
        #expect(GreetingKey.name == "shop.greeting")
        #expect(QueuedJobsKey.name == "queuedJobs")
        #expect(Key.name == "key")
    }

    @Test func `code outside a node reads default values`() {
        @Environment(\.paperSize) var paperSize
        #expect(paperSize == .a4)
        #expect(EnvironmentValues.current.preferences[QueuedJobsKey.self] == 0)
    }

    @Test func `an assigned value is read from its copy and where that copy is current`() {
        @Environment(\.copies) var copies
        var values = EnvironmentValues()
        values.copies = 3
        values.copies += 1
        #expect(values.copies == 4)
        #expect(values.paperSize == .a4)
        EnvironmentValues.$current.withValue(values) {
            #expect(copies == 4)
        }
        #expect(copies == 1)
    }

    @Test func `a key path has its key, and a key path to an action has none`() {
        #expect(EnvironmentValues.keys(of: \.copies).map(\.name) == ["copies"])
        #expect(EnvironmentValues.keys(of: \.margins.left).map(\.name) == ["margins"])
        #expect(EnvironmentValues.keys(of: \.triggerEvent).isEmpty)
        #expect(EnvironmentValues.keys(of: \.visit).isEmpty)
    }

    // The bus would read `\.margins.left == 3` as a comparison of margins with 3: always false.
    @Test func `a rule about part of a value stops the process`() async {
        await #expect(processExitsWith: .failure) { _ = \.margins.left == 3 }
        await #expect(processExitsWith: .success) { _ = \.copies == 3 }
    }

    @Test func `setting, writing and preferring throw outside a node's code`() async {
        let values = EnvironmentValues()
        await #expect { try await values.setEnvironment(\.copies, 2) } throws: {
            ($0 as? CascadeError)?.code == .notRunning
        }
        await #expect { try await values.setEnvironment.unset(\.copies) } throws: {
            ($0 as? CascadeError)?.code == .notRunning
        }
        await #expect { try await values.write(\.copies, 2) } throws: {
            ($0 as? CascadeError)?.code == .notRunning
        }
        await #expect { try await values.prefer(QueuedJobsKey.self, 2) } throws: {
            ($0 as? CascadeError)?.code == .notRunning
        }
        for await _ in values.changes(of: \.copies) {
            Issue.record("something changed")
        }
    }
}
