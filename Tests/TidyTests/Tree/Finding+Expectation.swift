// SPDX-License-Identifier: Apache-2.0

import Testing

extension Finding {
    /// Fails the running test once for each finding, so that every place is named.
    static func expectNone(
        _ findings: [Finding],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for finding in findings {
            Issue.record("\(finding.description)", sourceLocation: sourceLocation)
        }
    }
}
