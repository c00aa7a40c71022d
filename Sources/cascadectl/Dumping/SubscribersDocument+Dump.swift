// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

extension SubscribersDocument {
    /// Creates the subscribers of a name, for publications from the root, from a dump.
    init(_ dump: Dump, _ name: EventName) throws {
        let document = try dump.document("subscribers")[name.description]
        var answer = SubscribersAnswer(request: 0)
        for destination in PublishingDestination.allCases {
            let paths = document?[destination.name]?.elements ?? []
            answer[destination] = try paths.compactMap(\.string).map { try NodePath($0) }
        }
        self.init(answer: answer)
    }
}
