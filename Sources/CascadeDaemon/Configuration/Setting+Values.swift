// SPDX-License-Identifier: Apache-2.0

import CascadeService
import CascadeWire

/// Conversion between written values, checked values and members of the options.
extension Setting {
    /// Checks a written value. Throws what is allowed if it is invalid.
    func value(_ raw: RawSetting) throws(SettingRefusal) -> SettingValue {
        switch (kind, raw) {
        case (_, .empty): throw SettingRefusal("\(key) has no value; it is \(allowed)")
        case (.list(_, let least, let fault), .list(let elements)):
            guard elements.count >= least else {
                throw SettingRefusal("\(key) is empty; it is \(allowed)")
            }
            if let sentence = elements.lazy.compactMap(fault).first {
                throw SettingRefusal(sentence)
            }
            return .list(elements)
        case (.list, .scalar(let text)): return try value(.list([text]))
        case (_, .list): throw SettingRefusal("\(key) is not a list; it is \(allowed)")
        case (_, .scalar(let text)): return try value(text)
        }
    }

    private func value(_ text: String) throws(SettingRefusal) -> SettingValue {
        let found: SettingValue? =
            switch kind {
            case .duration(_, let range): number(TimeSpan(text)?.milliseconds, in: range)
            case .number(_, let range): number(UInt32(text), in: range)
            case .choice(_, let choices): choices.contains(text) ? .text(text) : nil
            case .text: text.isEmpty ? nil : .text(text)
            case .flag: text == "true" ? .flag(true) : text == "false" ? .flag(false) : nil
            case .list: .list([text])
            }
        guard let found else {
            throw SettingRefusal("'\(text)' is not a value of \(key); it is \(allowed)")
        }
        return found
    }

    private func number(_ number: UInt32?, in range: ClosedRange<UInt32>) -> SettingValue? {
        number.flatMap { range.contains($0) ? .number($0) : nil }
    }

    // MARK: - Options

    /// The setting's value in the options.
    package func value(in options: DaemonOptions) -> SettingValue {
        switch kind {
        case .duration(let path, _), .number(let path, _): .number(options[keyPath: path])
        case .choice(let path, _): .text(options[keyPath: path])
        case .text(let path): options[keyPath: path].map { .text($0) } ?? .none
        case .list(let path, _, _): .list(options[keyPath: path])
        case .flag(let path): .flag(options[keyPath: path])
        }
    }

    /// Stores a value of this setting in the options.
    func set(_ value: SettingValue, in options: inout DaemonOptions) {
        switch (kind, value) {
        case (.duration(let path, _), .number(let number)): options[keyPath: path] = number
        case (.number(let path, _), .number(let number)): options[keyPath: path] = number
        case (.choice(let path, _), .text(let text)): options[keyPath: path] = text
        case (.text(let path), .text(let text)): options[keyPath: path] = text
        case (.text(let path), .none): options[keyPath: path] = nil
        case (.list(let path, _, _), .list(let list)): options[keyPath: path] = list
        case (.flag(let path), .flag(let flag)): options[keyPath: path] = flag
        default: preconditionFailure("\(value) is not a value of \(key)")
        }
    }

    // MARK: - Text

    /// The value in the notation of a configuration file.
    package func text(_ value: SettingValue) -> String {
        switch (kind, value) {
        case (.duration, .number(let milliseconds)): Self.time(milliseconds)
        case (_, .number(let number)): "\(number)"
        case (_, .text(let text)): SettingsText.quoted(text)
        case (_, .list(let list)): "[" + list.map(SettingsText.quoted).joined(separator: ", ") + "]"
        case (_, .flag(let flag)): "\(flag)"
        case (_, .none): ""
        }
    }

    static func time(_ milliseconds: UInt32) -> String {
        for (unit, length) in [("h", 3_600_000), ("m", 60_000)] as [(String, UInt32)]
        where milliseconds > 0 && milliseconds % length == 0 {
            return "\(milliseconds / length)\(unit)"
        }
        return TimeSpan(milliseconds: milliseconds).description
    }
}
