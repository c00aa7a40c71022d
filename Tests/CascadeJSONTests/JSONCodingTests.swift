// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import FoundationEssentials
import Testing

@Suite struct JSONCodingTests {
    private struct Sample: Codable, Equatable {
        var zulu = "z\u{1B}"
        var alpha: Int?
        var big = UInt64.max
        var small = Int8.min
        var half = 0.5
        var values: [JSONValue] = []
        var inner: [Inner] = []
        var flag = false

        struct Inner: Codable, Equatable {
            var second = "2"
            var first: JSONValue?
        }
    }

    @Test func `members are written in the order in which they are encoded`() throws {
        let sample = Sample(
            values: [.null, .number("1.50"), .object([.init(key: "b", value: true)])],
            inner: [.init(), .init(first: .null)])
        let json = try JSONValue(encoding: sample)
        #expect(
            json.text == #"{"zulu":"z\u001b","big":18446744073709551615,"small":-128,"half":0.5,"#
                + #""values":[null,1.50,{"b":true}],"inner":[{"second":"2"},"#
                + #"{"second":"2","first":null}],"flag":false}"#)
        #expect(try json.decoded(as: Sample.self) == sample)
    }

    @Test func `dictionaries, arrays and scalars are coded at the top level`() throws {
        #expect(try JSONValue(encoding: ["a": [1, 2]]).text == #"{"a":[1,2]}"#)
        #expect(try JSONValue(encoding: "text").text == #""text""#)
        #expect(try JSONValue(parsing: "[[1],[]]").decoded() == [[1], []])
        #expect(try JSONValue(parsing: #"{"a":null}"#).decoded() == ["a": Int?.none])
    }

    @Test func `a number without JSON is an error`() {
        #expect(throws: EncodingError.self) { try JSONValue(encoding: [Double.infinity]) }
    }

    @Test(arguments: ["300", "-1", "1.5", "1e2", #""1""#, "true", "null"])
    func `a number that does not fit its type is an error`(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONValue(parsing: text).decoded(as: UInt8.self)
        }
    }

    @Test(arguments: [0, 1, 31, 32, 200])
    func `of several members with the same name the last one counts`(otherCount: Int) throws {
        let others = (0..<otherCount).map { JSONValue.Member(key: "other\($0)", value: .null) }
        let json = JSONValue.object(
            [.init(key: "a", value: .number("1"))] + others + [.init(key: "a", value: .number("2"))]
        )
        #expect(try json.decoded(as: [String: Int?].self)["a"] == 2)
        #expect(try json.decoded(as: [String: Int?].self).count == otherCount + 1)
    }

    @Test(arguments: [
        (#"{"values":[],"inner":[{"second":"2"},{"second":2}]}"#, ["inner", "1", "second"]),
        (#"{"values":[],"inner":[{"second":"2"},3]}"#, ["inner", "1"]),
        (#"{"values":[],"inner":{}}"#, ["inner"]),
        ("[]", []),
    ])
    func `an error names the keys that lead to its value`(text: String, path: [String]) throws {
        struct Outer: Decodable {
            var values: [JSONValue]
            var inner: [Sample.Inner]
        }
        let json = try JSONValue(parsing: text)
        let error = #expect(throws: DecodingError.self) { try json.decoded(as: Outer.self) }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == path)
    }

    @Test(arguments: [
        #"{"a":[1,-2,18446744073709551615,0.5,true,false,null,"x"],"b":{"c":{}}}"#, "[]", "7",
        #""text""#, "true", "null",
    ])
    func `the coders of Foundation read and write values`(text: String) throws {
        let value = try JSONValue(parsing: text)
        let encoded = try JSONEncoder().encode(value)
        let decoded = try JSONDecoder().decode(JSONValue.self, from: encoded)
        #expect(decoded.sorted == value.sorted)
    }
}

extension JSONValue {
    /// The value with members in the order of their names.
    fileprivate var sorted: JSONValue {
        switch self {
        case .object(let members):
            .object(
                members.map { Member(key: $0.key, value: $0.value.sorted) }
                    .sorted { $0.key < $1.key })
        case .array(let elements): .array(elements.map(\.sorted))
        default: self
        }
    }
}
