// SPDX-License-Identifier: Apache-2.0

/// One occurrence of an option among the arguments.
///
/// The argument parser collects the values of each option, but not the order of different options,
/// which is the order of the node's responders. So the names are looked up among the arguments
/// again, and each takes the next of the parsed values.
struct OptionOccurrence: Equatable, Sendable {
    let name: String
    let value: String

    /// Returns the occurrences of the options in `values`, in their order.
    ///
    /// - Parameters:
    ///   - values: The parsed values of each option.
    ///   - arguments: The arguments of the program. Those after `--` are not options.
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
