// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The visits of an event, one a line, indented.
enum TrailTable {
    /// - Parameter visits: The visits in the form of the documents.
    /// - Parameter omitted: How many between the first and the last ones are left out.
    static func text(
        _ visits: [JSONValue], omitted: some BinaryInteger, _ style: Style
    ) -> String {
        var table = Table([], indent: "  ")
        for visit in visits {
            let words = [visit["title"], visit["message"]].compactMap { $0?.string }
            table.append([
                Cell(visit["path"]?.string ?? ""),
                Cell(visit["responder"]?.plainText ?? ""),
                Cell("\(visit["kind"]?.string ?? "") \(visit["name"]?.string ?? "")"),
                Cell(visit["verdict"]?.string ?? ""),
                Cell(visit["microseconds"]?.number.map { Age.milliseconds($0) } ?? ""),
                Cell(words.joined(separator: ": ")),
            ])
        }
        let note = "  \(omitted) visits between the first and the last of these are left out"
        return omitted == 0 ? table.text(style) : table.text(style) + "\n" + note
    }
}
