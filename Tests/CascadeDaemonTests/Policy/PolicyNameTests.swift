// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CascadeDaemon

/// Names of groups in policy files.
@Suite struct PolicyNameTests {
    @Test func `a group with more members than there is room for is found`() {
        #expect(PolicyFiles.groupID("root", byteCount: 1) == 0)
        #expect(PolicyFiles.groupID("no such group", byteCount: 1) == nil)
    }
}
