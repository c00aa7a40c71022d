// SPDX-License-Identifier: Apache-2.0

/// Rules in the syntax of rules files.
enum RuleText {
    /// - Precondition: The value can be encoded as JSON.
    static func json(_ value: some Encodable, for key: ErasedKey) -> String {
        do {
            return String(
                decoding: try PayloadCodec.encode(value, as: "value of '\(key.name)'"),
                as: UTF8.self)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// - Precondition: The value is a string, a number or a boolean. Other values cannot be
    ///   compared.
    static func comparison<Value: Encodable>(
        _ keyPath: KeyPath<EnvironmentValues, Value>, _ relation: String, _ value: Value
    ) -> RuleCondition {
        let key = EnvironmentValues.key(of: keyPath)
        let json = json(value, for: key)
        precondition(
            json.first != "{" && json.first != "[",
            "a rule compares strings, numbers and booleans, and '\(key.name)' has another type")
        return RuleCondition("\(key.name) \(relation) \(json)")
    }
}
