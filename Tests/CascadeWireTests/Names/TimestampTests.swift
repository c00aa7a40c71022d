// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

@Suite struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"),
            (1, "1970-01-01T00:00:00.000001Z"),
            (-1, "1969-12-31T23:59:59.999999Z"),
            (951_782_399_999_999, "2000-02-28T23:59:59.999999Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
            (951_868_800_000_000, "2000-03-01T00:00:00.000000Z"),
            (1_735_689_599_000_000, "2024-12-31T23:59:59.000000Z"),
            (1_795_208_474_123_456, "2026-11-20T21:01:14.123456Z"),
            (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
        ] as [(Int64, String)])
    func `a timestamp is written as RFC 3339 in UTC with microseconds`(
        microseconds: Int64, expected: String
    ) {
        #expect(Timestamp(microseconds: microseconds).description == expected)
        #expect(Timestamp(expected) == Timestamp(microseconds: microseconds))
    }

    @Test(arguments: [
        "", "1970-01-01", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z",
        "1970-01-01T00:00:00.000000+00:00", "1970-02-30T00:00:00.000000Z",
        "1970-13-01T00:00:00.000000Z", "1970-01-01T24:00:00.000000Z",
        "1970-01-01t00:00:00.000000Z", "197a-01-01T00:00:00.000000Z",
        "1970-01-01T00:00:00.000000Z ",
    ])
    func `a text of another form is no timestamp`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `the arithmetic of timestamps saturates`() {
        let moment = Timestamp(microseconds: 5)
        #expect(moment.earlier(byMicroseconds: 6).microseconds == -1)
        #expect(moment.earlier(byMicroseconds: .max).microseconds < 0)
        let later = Timestamp(microseconds: 12)
        #expect(later.microseconds(since: moment) == 7)
        #expect(moment.microseconds(since: later) == 0)
        #expect(Timestamp(microseconds: .min).microseconds(since: later) == 0)
        #expect(later.microseconds(since: Timestamp(microseconds: .min)) == .max)
        #expect(Timestamp(microseconds: -5).earlier(byMicroseconds: .max).microseconds == .min)
    }
}
