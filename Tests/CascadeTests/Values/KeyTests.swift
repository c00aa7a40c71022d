// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Cascade

/// Keys, their names, and values without any bus.
@Suite struct KeyTests {
    private struct Key: EnvironmentKey {
        static let defaultValue = 1
    }

    @Test("A key goes by its type's name without 'Key', unless it says otherwise")
    func names() {
        #expect(PaperSizeKey.name == "paperSize")
        #expect(IsOpenKey.name == "isOpen")
        #expect(GreetingKey.name == "shop.greeting")
        #expect(QueuedJobsKey.name == "queuedJobs")
        #expect(Key.name == "key")
    }

    @Test("Code outside any node reads defaults")
    func defaults() {
        @Environment(\.paperSize) var paperSize
        #expect(paperSize == .a4)
        #expect(EnvironmentValues.current.preferences[QueuedJobsKey.self] == 0)
    }

    @Test("What is assigned to a copy is read from it, and in the scope that it is made current in")
    func assigning() {
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

    @Test("A key path tells its keys; one to an action has none")
    func keyPaths() {
        #expect(EnvironmentValues.keys(of: \.copies).map(\.name) == ["copies"])
        #expect(EnvironmentValues.keys(of: \.margins.left).map(\.name) == ["margins"])
        #expect(EnvironmentValues.keys(of: \.triggerEvent).isEmpty)
        #expect(EnvironmentValues.keys(of: \.visit).isEmpty)
    }

    // To the bus `\.margins.left == 3` would be a comparison of margins with 3: always false.
    @Test("A rule about part of a value, which the bus knows nothing of, is found at once")
    func parts() async {
        await #expect(processExitsWith: .failure) { _ = \.margins.left == 3 }
        await #expect(processExitsWith: .success) { _ = \.copies == 3 }
    }

    @Test("Outside the code of a node there is nobody to set, write or offer for")
    func outside() async {
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
