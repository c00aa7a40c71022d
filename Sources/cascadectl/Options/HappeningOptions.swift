// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// The filter of monitor events.
struct HappeningOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Pattern of the names.", valueName: "pattern"))
    var name: String?

    @Option(help: ArgumentHelp("Pattern of the paths.", valueName: "pattern"))
    var path: String?

    @Option(
        help: ArgumentHelp(
            "Kinds, separated by commas: event, error, publish, env, topology, admin.",
            valueName: "kinds"),
        transform: Self.kinds)
    var kind: [MonitorEventKind] = []

    var filter: MonitorFilter {
        MonitorFilter(name: name, path: path, kinds: kind)
    }

    private static func kinds(_ text: String) throws -> [MonitorEventKind] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
            guard let kind = MonitorEventKind.allCases.first(where: { $0.name == word }) else {
                let all = MonitorEventKind.allCases.map(\.name).joined(separator: ", ")
                throw ValidationError("unknown kind '\(word)'; the kinds are \(all)")
            }
            return kind
        }
    }
}
