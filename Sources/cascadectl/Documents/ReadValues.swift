// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// What a node read when it was asked last.
struct ReadValues {
    private var values: [String: JSONValue] = [:]

    /// What is different in an answer, in its order; what is gone comes first.
    ///
    /// - Parameter key: the only one that counts; all of them without one.
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
