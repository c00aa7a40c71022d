// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The subscribers that a publication would reach, for each destination.
struct SubscribersDocument: Document {
    let answer: SubscribersAnswer

    var json: JSONValue {
        .document(
            "subscribers",
            [
                "last": paths(.last), "lastLevel": paths(.lastLevel),
                "firstLevel": paths(.firstLevel), "all": paths(.all),
            ])
    }

    private func paths(_ destination: PublishingDestination) -> JSONValue {
        .array(answer[destination].map { .text($0) })
    }

    var status: ExitStatus {
        answer.all.isEmpty ? .negative : .done
    }

    func text(_ style: Style) -> String {
        var table = Table(["DESTINATION", "SUBSCRIBERS"])
        for destination in PublishingDestination.allCases {
            let paths = answer[destination].map(\.description)
            table.append([Cell(destination.name), Cell(paths.joined(separator: ", "))])
        }
        return table.text(style)
    }
}
