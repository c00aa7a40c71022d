// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import Cascade

extension Lane: ExpressibleByArgument {
    public init?(argument: String) {
        guard let lane = Self.allCases.first(where: { $0.name == argument }) else {
            return nil
        }
        self = lane
    }

    public static var allValueStrings: [String] {
        allCases.map(\.name)
    }
}
