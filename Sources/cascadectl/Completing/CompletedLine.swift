// SPDX-License-Identifier: Apache-2.0

import Cascade

/// The incomplete command line, as the shell passes it.
struct CompletedLine: Sendable {
    private let words: [String]
    /// The text before the cursor of the value to complete.
    private let prefix: String

    init(words: [String], prefix: String) {
        // Fish passes an option and its value as one word.
        let isOption = prefix.hasPrefix("--")
        let equals = isOption ? prefix.firstIndex(of: "=") : nil
        self.words = words
        self.prefix = equals.map { String(prefix[prefix.index(after: $0)...]) } ?? prefix
    }

    /// The options of the bus in the line.
    var bus: BusOptions {
        var options = BusOptions()
        options.bus = value(of: "--bus")
        options.serverKey = value(of: "--server-key")
        options.keyFile = value(of: "--key-file")
        return options
    }

    /// The lane of the message that the line raises; `nil` if it raises none.
    var lane: Lane? {
        words.dropFirst().lazy.compactMap { Self.lanes[$0] }.first
    }

    /// The path in the option `--at`; the root by default.
    var path: NodePath {
        let text = value(of: "--at") ?? "/"
        return (try? NodePath(text)) ?? .root
    }

    /// The parent of the path to complete, from its text so far.
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
