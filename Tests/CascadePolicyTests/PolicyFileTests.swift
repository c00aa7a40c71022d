// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import Testing

@Suite struct PolicyFileTests {
    @Test func `a file is read rule by rule, each with its place and text`() throws {
        let file = try PolicyText.file(
            """
            # The shop.
            allow attach, subscribe,trigger /shop to user anna

              deny all /shop/safe to everyone   # not even the manager
            allow publish /shop/*/till to group 7

            """)
        #expect(!file.omitsDefault)
        #expect(
            file.rules.map(\.description) == [
                "shop.policy:2:1 'allow attach, subscribe,trigger /shop to user anna'",
                "shop.policy:4:3 'deny all /shop/safe to everyone'",
                "shop.policy:5:1 'allow publish /shop/*/till to group 7'",
            ])
        #expect(file.rules[0].verbs.each == [.attach, .subscribe, .trigger])
        #expect(file.rules.map(\.isAllowing) == [true, false, true])
    }

    @Test func `a file may leave out the default policy and contain nothing else`() throws {
        let file = try PolicyText.file("default none\n")
        #expect(file.omitsDefault && file.rules.isEmpty)
    }

    @Test(arguments: [
        ("permit attach / to everyone", "1:1", "expected 'allow', 'deny' or 'default'"),
        ("allow", "1:6", "expected a verb, found the end of the line"),
        ("allow fly / to everyone", "1:7", "found 'fly'"),
        ("allow attach shop to everyone", "1:14", "expected ',' and a verb, or a path"),
        ("allow attach, /shop to everyone", "1:15", "found '/shop'"),
        ("allow attach /a//b to everyone", "1:14", "has an empty component"),
        ("allow attach /shop/ to everyone", "1:14", "has an empty component"),
        ("allow attach /shop everyone", "1:20", "expected 'to'"),
        ("allow attach /shop to", "1:22", "found the end of the line"),
        ("allow attach /shop to anna", "1:23", "found 'anna'"),
        ("allow attach /shop to user carl", "1:28", "there is no user 'carl'"),
        ("allow attach /shop to user 4294967295", "1:28", "there is no user"),
        ("allow attach /shop to group anna", "1:29", "there is no group 'anna'"),
        ("allow attach /shop to everyone else", "1:32", "expected the end of the line"),
        ("# fine\n\ndeny all / to user \u{202E}x", "3:20", "'\\u{202e}x'"),
        ("default all", "1:9", "expected 'none'"),
    ])
    func `a fault is reported with its place`(text: String, place: String, message: String) {
        do throws(PolicyError) {
            _ = try PolicyText.file(text + "\n")
            Issue.record("'\(text)' is no policy")
        } catch {
            #expect(error.description.hasPrefix("shop.policy:\(place): "), "\(error)")
            #expect(error.message.contains(message), "\(error)")
        }
    }

    @Test(arguments: [
        ("", "has no rule"), ("\n\n", "has no rule"), ("# nothing\n", "has no rule"),
        ("allow attach / to everyone\ndeny all /safe to every", "found 'every'"),
        ("allow attach / to everyone\ndeny all /safe to everyone", "may be incomplete"),
    ])
    func `an empty or incomplete file is refused`(text: String, message: String) {
        let error = #expect(throws: PolicyError.self) { try PolicyText.file(text) }
        #expect(error?.message.contains(message) == true)
    }

    @Test func `a line that is too long is refused`() {
        let error = #expect(throws: PolicyError.self) {
            try PolicyText.file("# " + String(repeating: "x", count: 4096) + "\n")
        }
        #expect(error?.message.contains("more than 4096 characters") == true)
    }
}
