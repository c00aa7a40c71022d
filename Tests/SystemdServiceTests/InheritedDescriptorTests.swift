// SPDX-License-Identifier: Apache-2.0

import SystemdService
import Testing

@Suite struct InheritedDescriptorTests {
    @Test func `inherited descriptors begin at 3 and have the names that systemd passed`() {
        let list = InheritedDescriptor.list(count: "2", names: "bus:state", for: "7", in: 7)
        #expect(
            list == [
                InheritedDescriptor(name: "bus", number: 3),
                InheritedDescriptor(name: "state", number: 4),
            ])
    }

    @Test func `a descriptor without a name is unknown`() {
        let list = InheritedDescriptor.list(count: "2", names: "bus", for: "7", in: 7)
        #expect(list.map(\.name) == ["bus", "unknown"])
        #expect(
            InheritedDescriptor.list(count: "1", names: nil, for: "7", in: 7).map(\.name) == [
                "unknown"
            ])
    }

    @Test(
        arguments: [
            ("1", "8"), ("1", nil), (nil, "7"), ("0", "7"), ("-1", "7"), ("1000000", "7"),
            ("many", "7"),
        ] as [(String?, String?)])
    func `descriptors of another process or with a malformed count are ignored`(
        count: String?, owner: String?
    ) {
        #expect(InheritedDescriptor.list(count: count, names: "bus", for: owner, in: 7) == [])
    }

    @Test func `a descriptor that is not a listening Unix socket has no path`() {
        #expect(InheritedDescriptor(name: "bus", number: 0).listeningPath == nil)
        #expect(InheritedDescriptor(name: "bus", number: -1).listeningPath == nil)
    }
}
