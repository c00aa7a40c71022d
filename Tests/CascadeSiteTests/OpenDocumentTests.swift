// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeTestSupport
import Testing

@Suite struct OpenDocumentTests {
    private static let request = OpenRequest(
        link: LinkID(0xAB), instance: "5f", host: "ulm.example", program: "cascade-site 0.2.0")

    @Test func `the documents have the members of the specification`() {
        #expect(
            String(decoding: Self.request.encoded, as: UTF8.self) == """
                {"cascade":"site/1","link":"00000000000000ab","instance":"5f","host":"ulm.example",\
                "program":"cascade-site 0.2.0"}
                """)
        let terms = OpenTerms(bus: "hq", mount: "/shop/ulm", maximum: 1_044_480, window: 65_536)
        #expect(
            String(decoding: OpenAnswer.accepted(LinkID(1), terms).encoded, as: UTF8.self) == """
                {"link":"0000000000000001","bus":"hq","mount":"/shop/ulm","maximum":1044480,\
                "window":65536}
                """)
        let refusal = OpenRefusal(code: .nameTaken, message: "another host", holder: "b")
        #expect(
            String(decoding: OpenAnswer.refused(LinkID(1), refusal).encoded, as: UTF8.self) == """
                {"link":"0000000000000001","error":"nameTaken","message":"another host",\
                "holder":"b"}
                """)
    }

    @Test func `documents are read as they were written`() throws {
        #expect(try OpenRequest(parsing: Self.request.encoded) == Self.request)
        for answer in [
            OpenAnswer.accepted(
                LinkID(.max), OpenTerms(bus: "b", mount: "/a", maximum: 1_024, window: 65_536)),
            .refused(LinkID(0), OpenRefusal(code: .tooMany, message: "later")),
            .refused(LinkID(0), OpenRefusal(code: .nameTaken, message: "b", holder: "b")),
        ] {
            #expect(try OpenAnswer(parsing: answer.encoded) == answer)
        }
    }

    @Test func `members and codes of a later release are accepted`() throws {
        let later = #"{"link":"0000000000000001","error":"closed","message":"m","more":[1]}"#
        #expect(
            try OpenAnswer(parsing: Array(later.utf8))
                == .refused(LinkID(1), OpenRefusal(code: .other, message: "m")))
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"link":1}"#, #"{"link":"00000000000000AB","error":"tooMany"}"#,
        #"{"link":"0000000000000001","bus":"b","mount":"/","maximum":1048576,"window":1}"#,
        #"{"link":"0000000000000001","bus":"b","mount":"/","maximum":-1,"window":65536}"#,
        #"{"link":"0000000000000001","bus":"b","mount":"/","maximum":1e9,"window":65536}"#,
        #"{"cascade":"site/1","link":"0000000000000001","instance":"i","host":7,"program":"p"}"#,
    ])
    func `other bytes are refused`(text: String) {
        #expect(throws: OpenDocumentError.self) { try OpenAnswer(parsing: Array(text.utf8)) }
        #expect(throws: OpenDocumentError.self) { try OpenRequest(parsing: Array(text.utf8)) }
    }

    @Test func `a document that is too long is refused`() {
        var request = Self.request
        request.host = String(repeating: "h", count: 513)
        #expect(throws: OpenDocumentError.self) { try OpenRequest(parsing: request.encoded) }
        let padding = [UInt8](repeating: 0x20, count: 4_096)
        #expect(throws: OpenDocumentError.self) {
            try OpenRequest(parsing: Self.request.encoded + padding)
        }
    }

    @Test func `damaged documents never trap`() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            var bytes = Self.request.encoded
            for _ in 0..<1 + generator.below(4) {
                bytes[generator.below(bytes.count)] = UInt8(truncatingIfNeeded: generator.next())
            }
            _ = try? OpenRequest(parsing: bytes)
            _ = try? OpenAnswer(parsing: bytes)
        }
        #expect((try? OpenRequest(parsing: Self.request.encoded)) != nil)
    }
}

@Suite struct LinkSubjectTests {
    private let subjects = LinkSubjects(realm: "shops", parent: "hq")

    @Test func `subjects and permissions are those of the specification`() {
        let link = LinkAddress.link(LinkID(1))
        #expect(subjects.up("ulm", .open) == "cascade.shops.up.hq.ulm.open")
        #expect(subjects.up("ulm", link) == "cascade.shops.up.hq.ulm.0000000000000001")
        #expect(subjects.down("ulm", link) == "cascade.shops.down.ulm.hq.0000000000000001")
        #expect(subjects.upPattern(of: "ulm") == "cascade.shops.up.hq.ulm.>")
        #expect(subjects.downPattern(of: "ulm") == "cascade.shops.down.ulm.hq.>")
        #expect(subjects.upPattern == "cascade.shops.up.hq.>")
        #expect(subjects.downPattern == "cascade.shops.down.*.hq.>")
    }

    @Test func `subjects are read as they were written`() throws {
        for address in [LinkAddress.open, .link(LinkID(0)), .link(LinkID(.max))] {
            let up = try #require(subjects.parse(up: subjects.up("ulm", address)))
            #expect(up.child == "ulm" && up.address == address)
            #expect(subjects.parse(down: subjects.down("ulm", address), to: "ulm") == address)
        }
    }

    @Test(arguments: [
        "", ".", "cascade", "cascade.shops.up.hq.ulm", "cascade.shops.up.hq.ulm.",
        "cascade.shops.up.hq.ulm.close", "cascade.shops.up.hq.ulm.1", "cascade.shops.up.hq.u*.open",
        "cascade.shops.up.other.ulm.open", "cascade.other.up.hq.ulm.open",
        "cascade.shops.up.hq.ulm.more.open", "cascade.shops.up.hq.ulm.000000000000000G",
    ])
    func `other subjects are not read`(subject: String) {
        #expect(subjects.parse(up: subject) == nil)
        #expect(subjects.parse(down: subject, to: "ulm") == nil)
    }
}
