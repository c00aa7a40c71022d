// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import Cascade

extension PublishingDestination: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(name: argument)
    }

    /// Returns the destination with a name; `nil` if there is none.
    init?(name: String) {
        guard let destination = Self.allCases.first(where: { $0.name == name }) else {
            return nil
        }
        self = destination
    }

    public static var allValueStrings: [String] {
        allCases.map(\.name)
    }

    public static var allValueDescriptions: [String: String] {
        [
            last.name: "Exactly one: the deepest, and of several the one set up last.",
            lastLevel.name: "All at the greatest level.",
            firstLevel.name: "All with no other subscriber above them.",
            all.name: "Every one.",
        ]
    }
}
