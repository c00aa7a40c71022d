// SPDX-License-Identifier: Apache-2.0

/// Additional environment variables of a program.
struct EnvironmentVariables {
    private(set) var list: [(name: String, value: String)] = []
    private var names: Set<String> = []

    /// Adds a variable. Returns `false` if the name is already set, or the value contains a NUL.
    @discardableResult
    mutating func add(_ name: String, _ value: String) -> Bool {
        guard !value.utf8.contains(0), names.insert(name).inserted else {
            return false
        }
        list.append((name, value))
        return true
    }

    /// Returns a key in upper case, with `_` for each character that is not a letter or digit.
    static func name(_ key: String) -> String {
        key.unicodeScalars.map { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                ? String(scalar).uppercased() : "_"
        }.joined()
    }
}
