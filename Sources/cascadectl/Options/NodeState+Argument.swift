// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import Cascade

extension NodeState: ExpressibleByArgument {
    public init?(argument: String) {
        guard let state = Self.allCases.first(where: { $0.name == argument }) else {
            return nil
        }
        self = state
    }

    public static var allValueStrings: [String] {
        allCases.map(\.name)
    }
}
