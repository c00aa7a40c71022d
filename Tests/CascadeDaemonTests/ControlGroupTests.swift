// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CascadeDaemon

@Suite struct ControlGroupTests {
    @Test(
        arguments: [
            ("0::/system.slice/till.service\n", "till.service", nil),
            ("0::/system.slice/system-till.slice/till@3.service/worker\n", "till@3.service", nil),
            ("0::/user.slice/user-1000.slice/session-4.scope\n", "session-4.scope", nil),
            ("0::/init.scope\n", "init.scope", nil),
            (
                "0::/user.slice/user-1000.slice/user@1000.service/app.slice/shop.service\n",
                "user@1000.service", "shop.service"
            ),
            (
                "0::/user.slice/user-1000.slice/user@1000.service/init.scope\n",
                "user@1000.service", "init.scope"
            ),
            ("0::/docker/0123456789abcdef\n", nil, nil), ("0::/\n", nil, nil), ("", nil, nil),
            ("4:memory:/a\n1:name=systemd:/system.slice/old.service\n0::/\n", "old.service", nil),
            ("0::/system.slice/_cgroup.service\n", "cgroup.service", nil),
            ("0::/system.slice/gone.service (deleted)\n", nil, nil),
        ] as [(String, String?, String?)])
    func `the unit of a process is the first part of its control group that is not a slice`(
        text: String, unit: String?, userUnit: String?
    ) {
        let group = ControlGroup(text)
        #expect(group.unit == unit)
        #expect(group.userUnit == userUnit)
    }

    @Test func `a name within a user's control group is not taken for a system unit`() {
        let group = ControlGroup(
            "0::/user.slice/user-1000.slice/user@1000.service/system.slice/bank.service\n")
        #expect(group.unit == "user@1000.service")
    }
}
