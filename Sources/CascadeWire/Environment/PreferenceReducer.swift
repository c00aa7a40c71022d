// SPDX-License-Identifier: Apache-2.0

/// How the preferences of several nodes become one.
public enum PreferenceReducer: UInt8, Sendable, CaseIterable {
    /// The sum of numbers.
    case sum = 1
    /// The least number, or string.
    case min = 2
    /// The greatest number, or string.
    case max = 3
    /// Whether all are true.
    case all = 4
    /// Whether any is true.
    case any = 5
    /// The first, in the order in which the children attached.
    case first = 6
    /// The elements of arrays behind one another; what is no array counts as one element.
    case append = 7
    /// The members of objects; of several with the same name the first stands.
    case merge = 8

    /// The reducer as the command line writes it.
    public var name: String {
        "\(self)"
    }
}
