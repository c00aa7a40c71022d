// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import Cascade

extension PublishingDestination: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(name: argument)
    }

    /// The destination of that name; `nil` if there is none.
    init?(name: String) {
        guard let destination = Self.allCases.first(where: { $0.name == name }) else {
            return nil
        }
        self = destination
    }

    public static var allValueStrings: [String] {
        allCases.map(\.name)
    }

    public var defaultValueDescription: String {
        name
    }
}
