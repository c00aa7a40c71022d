// SPDX-License-Identifier: Apache-2.0

/// Variables of a program that is run, on top of those of this one.
struct EnvironmentVariables {
    private(set) var list: [(name: String, value: String)] = []
    private var names: Set<String> = []

    /// Adds a variable. The first of a name stands, and a NUL would end the value early: returns
    /// whether it could be added.
    @discardableResult
    mutating func add(_ name: String, _ value: String) -> Bool {
        guard !value.utf8.contains(0), names.insert(name).inserted else {
            return false
        }
        list.append((name, value))
        return true
    }

    /// A key in upper case, with `_` for what is no letter or digit.
    static func name(_ key: String) -> String {
        key.unicodeScalars.map { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                ? String(scalar).uppercased() : "_"
        }.joined()
    }
}
