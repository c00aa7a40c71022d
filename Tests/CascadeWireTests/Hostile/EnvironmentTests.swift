// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

/// Values, preferences and environment queries of hostile peers.
@Suite struct EnvironmentTests {
    static let places = [FieldTag.value, .preference]

    @Test(arguments: places)
    func `a value or preference without a key is malformed`(tag: FieldTag) {
        let nameless = { (fields: inout FieldWriter) in
            fields.append(tag, nested: { $0.append(.text, "1") })
        }
        #expect(settingError(nameless) == .malformed)
        #expect(changeError(nameless) == .malformed)
        #expect(settingError { $0.append(tag, if: true) } == .malformed)
        #expect(changeError { $0.append(tag, if: true) } == .malformed)
    }

    @Test(arguments: places, ["", "*", "oven degrees", "/oven", "\u{1B}", "."])
    func `a key that breaks the rule for names is refused`(tag: FieldTag, key: String) {
        let named = { (fields: inout FieldWriter) in
            fields.append(tag, nested: { $0.append(.key, key) })
        }
        #expect(settingError(named) == .badKey)
        #expect(changeError(named) == .badKey)
    }

    @Test(arguments: [FieldTag.watchedKey, .watchedPreference], ["", "*", "a b"])
    func `a watched key that breaks the rule for names is refused`(tag: FieldTag, key: String) {
        #expect(settingError { $0.append(tag, key) } == .badKey)
    }

    @Test func `the error about a bad key contains no control characters`() throws {
        let error = #expect(throws: WireError.self) {
            try settings { fields in
                fields.append(.watchedKey, "\u{1B}[31m\u{202E}")
            }
        }
        #expect(try #require(error).description.isHarmless)
    }

    @Test(arguments: [0, 9, 255] as [UInt8])
    func `an unknown reducer is refused by its number`(number: UInt8) throws {
        let error = #expect(throws: WireError.self) {
            try settings { fields in
                fields.append(.preference) { (offer: inout FieldWriter) in
                    offer.append(.key, "healthy")
                    offer.append(.reducer, number)
                }
            }
        }
        #expect(error == WireError(.otherReducer, "there is no reducer \(number)"))
    }

    @Test func `a reducer of another width is malformed`() {
        let error = settingError { fields in
            fields.append(.preference) { (offer: inout FieldWriter) in
                offer.append(.key, "healthy")
                offer.append(.reducer, UInt16(1))
            }
        }
        #expect(error == .malformed)
    }

    @Test func `an offer without a reducer uses the first value`() throws {
        let offers = try settings { fields in
            fields.append(.preference, nested: { $0.append(.key, "healthy") })
        }.offers
        #expect(offers == [PreferenceOffer(EventName("healthy"), nil, .first)])
    }

    @Test func `consecutive values stay in order, even with the same key`() throws {
        let settings = try settings { fields in
            for number in 0..<2_000 {
                fields.append(.value) { (value: inout FieldWriter) in
                    value.append(.key, "oven.degrees")
                    value.append(.text, "\(number)")
                }
            }
        }.settings
        #expect(settings.map(\.json) == (0..<2_000).map { "\($0)" })
    }

    @Test func `unknown flags and fields in a value are ignored`() throws {
        let settings = try settings { fields in
            fields.append(.value) { (value: inout FieldWriter) in
                value.append(.path, "/cellar")
                value.append(.value, nested: { $0.append(.key, "inner") })
                value.append(.key, "outer")
                value.append(.isSticky, "with a value of its own")
            }
        }.settings
        #expect(settings == [EnvironmentSetting(EventName("outer"), nil, isSticky: true)])
    }

    @Test(arguments: places) func `a nested field that does not end is malformed`(tag: FieldTag) {
        // A key that announces more bytes than its value has, and one that has no room for a tag.
        for inner in [[97, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x6F], [97, 0, 1]] as [[UInt8]] {
            let ragged = { (fields: inout FieldWriter) in
                fields.append(tag) { (parts: inout PartWriter) in
                    for byte in inner {
                        parts.append(byte)
                    }
                }
            }
            #expect(settingError(ragged) == .malformed)
            #expect(changeError(ragged) == .malformed)
        }
    }

    @Test(arguments: [FieldTag.text, .oldText, .key]) func `text that is not UTF-8 is malformed`(
        tag: FieldTag
    ) {
        let garbled = { (fields: inout FieldWriter) in
            fields.append(.value) { (value: inout FieldWriter) in
                value.append(.key, "oven.degrees")
                value.append(tag, UInt16(0xFEFF))
            }
        }
        #expect(changeError(garbled) == .malformed)
        #expect(tag == .oldText || settingError(garbled) == .malformed)
        #expect(settingError { $0.append(.rule, UInt16(0xFEFF)) } == .malformed)
    }

    @Test(arguments: [10, 11] as [UInt32])
    func `a query about one key requires its name`(number: UInt32) {
        #expect(queryError(number) { $0.append(.path, "/kitchen") } == .malformed)
        #expect(queryError(number) { $0.append(.name, "*") } == .badName)
    }

    @Test func `an unknown query is refused`() {
        #expect(queryError(15) { $0.append(.path, "/kitchen") } == .unknownQuery)
    }

    @Test func `a query without a path is about the root`() throws {
        #expect(try query(9) { _ in }.subject == .environment(path: .root, key: nil))
        #expect(try query(12) { _ in }.subject == .preferences(path: .root))
        #expect(try query(14) { _ in }.subject == .rulesDifference(file: "", text: ""))
    }

    // MARK: - Reading

    private func reader(_ write: (inout FieldWriter) -> Void) -> FieldReader {
        var fields = FieldWriter()
        write(&fields)
        return FieldReader(fields.bytes)
    }

    private func settings(_ write: (inout FieldWriter) -> Void) throws -> Assignments {
        try SetEnvironment(header: Header(.set, id: 1), fields: reader(write)).assignments
    }

    private func query(
        _ number: UInt32, _ write: (inout FieldWriter) -> Void
    ) throws -> Query {
        try Query(header: Header(.query, id: 1, code: number), fields: reader(write))
    }

    private func settingError(_ write: (inout FieldWriter) -> Void) -> ErrorCode? {
        Reading.errorCode { try settings(write) }
    }

    private func changeError(_ write: (inout FieldWriter) -> Void) -> ErrorCode? {
        Reading.errorCode {
            try EnvironmentChanges(header: Header(.environment, node: 2), fields: reader(write))
        }
    }

    private func queryError(
        _ number: UInt32, _ write: (inout FieldWriter) -> Void
    ) -> ErrorCode? {
        Reading.errorCode { try query(number, write) }
    }
}
