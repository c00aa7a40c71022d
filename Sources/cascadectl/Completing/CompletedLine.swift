// SPDX-License-Identifier: Apache-2.0

import Cascade

/// The command line that somebody is writing, as their shell hands it over.
struct CompletedLine: Sendable {
    private let words: [String]
    /// What stands before the cursor of the value that is to be completed.
    private let prefix: String

    init(words: [String], prefix: String) {
        // Fish takes an option and its value for one word.
        let isOption = prefix.hasPrefix("--")
        let equals = isOption ? prefix.firstIndex(of: "=") : nil
        self.words = words
        self.prefix = equals.map { String(prefix[prefix.index(after: $0)...]) } ?? prefix
    }

    /// The bus that the line talks to once it is complete.
    var bus: BusOptions {
        var options = BusOptions()
        options.bus = value(of: "--bus")
        options.serverKey = value(of: "--server-key")
        options.keyFile = value(of: "--key-file")
        return options
    }

    /// The lane of what the line raises; `nil` if it raises nothing.
    var lane: Lane? {
        words.dropFirst().lazy.compactMap { Self.lanes[$0] }.first
    }

    /// Where the line has an event begin, or whose environment it is about.
    var path: NodePath {
        let text = value(of: "--at") ?? "/"
        return (try? NodePath(text)) ?? .root
    }

    /// The node below which the word to be completed is, as far as it is written.
    var parent: NodePath? {
        guard let slash = prefix.lastIndex(of: "/"), slash != prefix.startIndex else {
            return .root
        }
        return try? NodePath(String(prefix[..<slash]))
    }

    private func value(of option: String) -> String? {
        for (index, word) in words.enumerated() {
            if word == option, index + 1 < words.count {
                return words[index + 1]
            }
            if word.hasPrefix(option + "=") {
                return String(word.dropFirst(option.count + 1))
            }
        }
        return nil
    }

    private static let lanes: [String: Lane] = [
        "trigger": .event, "report": .error, "request": .request, "cascade": .cascade,
    ]
}
