// SPDX-License-Identifier: Apache-2.0

/// One message as systemd's journal takes it, in its native protocol: fields one behind the other.
///
/// A field is `NAME=value` and a line break; a value with a line break of its own, or that is no
/// plain text, is told by its length instead.
package struct JournalRecord: Equatable, Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Appends a field. Names are of upper case letters, digits and underscores, and begin with a
    /// letter; other fields the journal would drop, so they are left out here.
    package mutating func append(_ name: String, _ value: String) {
        guard Self.isName(name) else {
            return
        }
        let value = Array(value.utf8)
        bytes += name.utf8
        if value.contains(UInt8(ascii: "\n")) {
            bytes.append(UInt8(ascii: "\n"))
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: UInt64(value.count) >> UInt64(shift)))
            }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value
        bytes.append(UInt8(ascii: "\n"))
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 64 else {
            return false
        }
        let isUpper = { (byte: UInt8) in UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte }
        return isUpper(first)
            && name.utf8.allSatisfy {
                isUpper($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || $0 == UInt8(ascii: "_")
            }
    }
}
