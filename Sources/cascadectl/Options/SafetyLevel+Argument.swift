// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import Cascade

extension SafetyLevel: ExpressibleByArgument {
    public init?(argument: String) {
        guard let level = Self.allCases.first(where: { $0.name == argument }) else {
            return nil
        }
        self = level
    }

    public static var allValueStrings: [String] {
        allCases.map(\.name)
    }
}
