// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CascadeConsole

@Suite struct BusFileTests {
    private func text(_ count: Int) -> String {
        let entries = (0..<count).map { #"{"name": "b\#($0)", "bus": "ipc:///run/\#($0).sock"}"# }
        return #"{"buses": [\#(entries.joined(separator: ", "))]}"#
    }

    @Test func `a file names buses, with keys for those on other machines`() throws {
        let buses = try ConsoleOptions.Bus.list(
            in: """
                {"buses": [
                    {"name": "shop", "bus": "ipc:///run/shop.sock"},
                    {"name": "depot", "bus": "tcp://depot:5555", "key": "/etc/k", "trust": "abc"}
                ]}
                """)
        #expect(buses.map(\.name) == ["shop", "depot"])
        #expect(buses.map(\.endpoint) == ["ipc:///run/shop.sock", "tcp://depot:5555"])
        #expect(buses.map(\.keyFile) == [nil, "/etc/k"])
        #expect(buses.map(\.trust) == [nil, "abc"])
    }

    @Test func `64 buses are listed, and 65 are refused`() throws {
        #expect(try ConsoleOptions.Bus.list(in: text(64)).count == 64)
        #expect(throws: BusFileError("it has 65 buses, and may have 1 to 64")) {
            try ConsoleOptions.Bus.list(in: text(65))
        }
        #expect(throws: BusFileError("it has 0 buses, and may have 1 to 64")) {
            try ConsoleOptions.Bus.list(in: text(0))
        }
    }

    @Test(arguments: [
        ("[", "it is not JSON"), ("[]", "its only member is 'buses'"),
        (#"{"buses": {}}"#, "its only member is 'buses'"),
        (#"{"buses": [], "more": 1}"#, "its only member is 'buses'"),
        (#"{"buses": [1]}"#, "bus 1 of 'buses' lacks 'name' or 'bus'"),
        (#"{"buses": [{"name": "a"}]}"#, "bus 1 of 'buses' lacks 'name' or 'bus'"),
        (#"{"buses": [{"name": "a", "bus": 1}]}"#, "'bus' is a text in quotation marks"),
        (#"{"buses": [{"name": "a b", "bus": "ipc:///x"}]}"#, "'a b' and 'ipc:///x' are not"),
        (#"{"buses": [{"name": "a", "bus": "/x"}]}"#, "'a' and '/x' are not"),
        (
            #"{"buses": [{"name": "a", "bus": "ipc:///x", "endpoint": "y"}]}"#,
            "bus 1 of 'buses' has the member 'endpoint'"
        ),
        (
            #"{"buses": [{"name": "a", "bus": "tcp://x:1", "key": "/k"}]}"#,
            "require each other"
        ),
        (
            #"{"buses": [{"name": "a", "bus": "ipc:///x"}, {"name": "a", "bus": "ipc:///y"}]}"#,
            "two buses are named 'a'"
        ),
    ])
    func `a file that is none of buses is refused, with the place and the reason`(
        _ text: String, _ reason: String
    ) throws {
        let error = #expect(throws: BusFileError.self) {
            try ConsoleOptions.Bus.list(in: text)
        }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test func `a file that is absent is named`() {
        #expect(throws: BusFileError("cannot read '/nonexistent/x': No such file or directory")) {
            try ConsoleOptions.Bus.list(inFile: "/nonexistent/x")
        }
    }
}
