// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import Testing
import ZeroMQ

@testable import CascadeDaemon

@Suite struct KeyTests {
    private static let text = "HelloWorldHelloWorldHelloWorldHelloWorld"

    @Test func `an authorized key has its name and is admitted while the file lists it`() throws {
        let keys = try AuthorizedKeys("# tills\n\n till-3  \(Self.text)\n", file: "keys")
        let bytes = try #require(Z85.bytes(Self.text))
        let key = try #require(keys.owner(of: bytes))
        #expect(key.name == "till-3" && keys.admits(key))
        #expect(keys.owner(of: Array(bytes.reversed())) == nil)
        let renamed = try AuthorizedKeys("other \(Self.text)", file: "keys")
        #expect(!renamed.admits(key) && !AuthorizedKeys().admits(key))
    }

    @Test(arguments: [
        "till", "till short", "till \(text) more", "t/ll \(text)", "till \(text)\nx \(text)",
    ])
    func `a faulty line is reported with its number`(line: String) {
        let error = #expect(throws: KeyFileError.self) {
            try AuthorizedKeys("# first\n\(line)\n", file: "keys")
        }
        let number = line.contains("\n") ? 3 : 2
        #expect(error?.description.hasPrefix("keys:\(number):1: ") == true, "\(error as Any)")
    }

    @Test func `only an admitted key is a key, and only a local address has a user`() {
        let key = AdmittedKey(key: Self.text, name: "till")
        #expect(AdmittedKey(userID: key.userID) == key)
        #expect(AdmittedKey(userID: "0123 \(Self.text) till") == nil)
        #expect(AdmittedKey(userID: "till") == nil)
        for address in ["2001:db8::a:0:0:1", "::ffff:0:0:0:1", "1:0:0:1", "localhost:0:0:1:9", ""] {
            let credentials = Credentials(
                peerAddress: address, userID: "till", descriptor: nil)
            #expect(credentials.userID == Credentials.unknown, "\(address)")
            #expect(credentials.key == nil)
        }
        let local = Credentials(peerAddress: "localhost:7:8:99", userID: nil, descriptor: nil)
        #expect(local == Credentials(processID: 99, userID: 7, groupID: 8))
    }
}
