// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Foundation
import Testing

@testable import SystemdService

@Suite struct ServiceNotifierTests {
    @Test func `lines are sent in one datagram to a socket in the file system`() throws {
        let folder = try TemporaryDirectory()
        let path = "\(folder.path)/notify"
        let receiver = try #require(DatagramReceiver(path))
        let notifier = try #require(ServiceNotifier(path: path))
        #expect(notifier.send(["READY=1", ServiceNotifier.status("well")]))
        #expect(receiver.receive()?.text == "READY=1\nSTATUS=well")
    }

    @Test func `lines are sent in one datagram to an abstract socket`() throws {
        let path = "@cascade-test-\(UUID().uuidString)"
        let receiver = try #require(DatagramReceiver(path))
        let notifier = try #require(ServiceNotifier(path: path))
        #expect(notifier.send(["WATCHDOG=1"], waiting: false))
        #expect(receiver.receive()?.text == "WATCHDOG=1")
    }

    @Test func `a descriptor is sent with the lines and refers to the same file`() throws {
        let path = "@cascade-test-\(UUID().uuidString)"
        let receiver = try #require(DatagramReceiver(path))
        let notifier = try #require(ServiceNotifier(path: path))
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer {
            close(ends[0])
            close(ends[1])
        }
        #expect(notifier.send(["FDSTORE=1", "FDNAME=state"], descriptor: ends[1]))
        let received = try #require(receiver.receive())
        #expect(received.text == "FDSTORE=1\nFDNAME=state")
        let copy = try #require(received.descriptor)
        defer { close(copy) }
        #expect(write(copy, "x", 1) == 1)
        var byte = UInt8(0)
        #expect(read(ends[0], &byte, 1) == 1)
        #expect(byte == UInt8(ascii: "x"))
    }

    @Test func `sending fails without a receiver`() throws {
        let notifier = try #require(ServiceNotifier(path: "@cascade-\(UUID().uuidString)"))
        #expect(!notifier.send(["READY=1"]))
    }

    @Test(arguments: ["", "@", "/", "notify", "/" + String(repeating: "a", count: 107)])
    func `a malformed socket path is refused`(path: String) {
        #expect(ServiceNotifier(path: path) == nil)
    }

    @Test func `a status is sent as one line`() {
        #expect(ServiceNotifier.status("a\nREADY=1\r\nb") == "STATUS=a READY=1 b")
    }
}
