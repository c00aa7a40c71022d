// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import Testing

/// Errors of the bus, as a program matches them.
@Suite(.timeLimit(.minutes(1))) struct ErrorCodeTests {
    @Test func `a program matches the codes of an error by constants`() async throws {
        try await LoopbackBus(mount: .root) { Node("shop") }.run { bus in
            do {
                try await bus.attach { Node("shop") }
                Issue.record("the path was given twice")
            } catch let error as CascadeError {
                switch (error.code, error.reason) {
                case (.refused, .pathTaken?): break
                default: Issue.record("\(error)")
                }
            }
        }
    }

    @Test func `a code has the name and number of the protocol`() {
        #expect(ErrorCode.pathTaken.rawValue == 34)
        #expect("\(ErrorCode.pathTaken)" == "pathTaken")
        #expect(ErrorCode(rawValue: 34) == .pathTaken)
        #expect(ErrorCode(rawValue: 9_999) == nil)
        #expect(Set(ErrorCode.allCases.map(\.rawValue)).count == ErrorCode.allCases.count)
    }

    @Test func `a restart does not mend the errors that exit with 78`() {
        #expect(CascadeError(.configuration, "").exitStatus == 78)
        #expect(CascadeError(.refused, "", reason: .badPath).exitStatus == 78)
        #expect(CascadeError(.refused, "", reason: .pathTaken).exitStatus == 1)
        #expect(CascadeError(.notRunning, "").exitStatus == 1)
    }
}
