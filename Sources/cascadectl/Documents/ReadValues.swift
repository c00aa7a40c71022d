// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The environment of a node at the previous answer.
struct ReadValues {
    private var values: [String: JSONValue] = [:]

    /// Returns the changes in an answer, removed values first.
    ///
    /// - Parameter key: The only key to compare; with `nil`, all keys.
    mutating func changes(
        to answer: ValuesDocument, of key: EventName?
    ) -> [ValueChangeDocument] {
        let read = answer.values.filter { key == nil || $0.key == key?.description }
        let kept = Set(read.map(\.key))
        let gone = values.keys.filter { !kept.contains($0) }.sorted()
        var changes = gone.map { key in
            ValueChangeDocument(
                key: key, old: values.removeValue(forKey: key), new: nil, from: nil)
        }
        for entry in read where values[entry.key] != entry.value {
            changes.append(
                ValueChangeDocument(
                    key: entry.key, old: values[entry.key], new: entry.value, from: entry.from))
            values[entry.key] = entry.value
        }
        return changes
    }
}
