// SPDX-License-Identifier: Apache-2.0

/// One option as it stands among the arguments.
///
/// The argument parser collects the values of each option but not the order of different options,
/// which is the order of a node's responders. So the names are looked up among the arguments once
/// more, and each takes the next of the values that the parser found for it.
struct OptionOccurrence: Equatable, Sendable {
    let name: String
    let value: String

    /// The occurrences of the options in `values`, in the order in which they stand.
    ///
    /// - Parameters:
    ///   - values: of each option, what the argument parser found.
    ///   - arguments: those of the program. What stands behind `--` is no option.
    static func all(
        _ values: [String: [String]], in arguments: some Sequence<String>
    ) -> [OptionOccurrence] {
        var rest = values.mapValues { $0[...] }
        return arguments.prefix { $0 != "--" }.compactMap { argument in
            let name = String(argument.prefix { $0 != "=" })
            return rest[name]?.popFirst().map { OptionOccurrence(name: name, value: $0) }
        }
    }
}
