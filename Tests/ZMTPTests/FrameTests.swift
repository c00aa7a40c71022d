// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import Testing

@testable import ZMTP

@Suite struct FrameTests {
    /// A connection of a ROUTER that is open.
    private func opened(_ limits: ConnectionLimits = ConnectionLimits()) -> Receiver {
        let receiver = Receiver(.router(limits))
        receiver.receive(Octets.dealerStart)
        return receiver
    }

    /// The offset of a byte after the handshake.
    private func offset(_ index: Int) -> Int {
        Octets.dealerStart.count + index
    }

    // MARK: - Headers

    @Test(arguments: [0, 1, 254, 255, 256, 65_535, 65_536, 1 << 40, Int.max], [false, true])
    func `a header is read back as it was written`(bodyByteCount: Int, hasMore: Bool) throws {
        let header = FrameHeader(bodyByteCount: bodyByteCount, hasMore: hasMore)
        let bytes = [UInt8](capacity: FrameHeader.byteCountMax) { header.encode(into: &$0) }
        #expect(bytes.count == (bodyByteCount > 255 ? 9 : 2))
        #expect(bytes.count == header.encodedByteCount)
        let decoded = try FrameHeader.decode(bytes.span.bytes, at: 0)
        #expect(decoded?.header == header)
        #expect(decoded?.bodyStart == bytes.count)
        for count in 0..<bytes.count {
            let isIncomplete =
                try FrameHeader.decode(
                    Array(bytes.prefix(count)).span.bytes, at: 0) == nil
            #expect(isIncomplete)
        }
    }

    @Test(arguments: UInt8.min...UInt8.max)
    func `flags are accepted if reserved bits are zero and no command has MORE`(flags: UInt8) {
        let receiver = opened()
        receiver.receive([flags])
        if flags & 0xF8 != 0 {
            #expect(receiver.fault == faultAt(offset(0), .reservedFlags(flags)))
        } else if flags & 5 == 5 {
            #expect(receiver.fault == faultAt(offset(0), .commandWithMore))
        } else {
            #expect(receiver.fault == nil)
        }
    }

    @Test func `a long size below 256 is accepted`() {
        let receiver = opened()
        receiver.receive(Octets.frame(flags: 0, [1, 2], isLong: true))
        receiver.receive(Octets.frame(flags: 4, [4] + Array("PING".utf8) + [0, 0], isLong: true))
        #expect(
            receiver.records.suffix(2) == [.message([[1, 2]]), .sent(Octets.command("PONG"))])
    }

    @Test(arguments: [UInt64(1) << 63, .max])
    func `a size of 2^63 or more is refused`(size: UInt64) {
        let receiver = opened()
        receiver.receive([2] + Octets.bigEndian(size))
        #expect(receiver.fault == faultAt(offset(1), .frameSizeOutOfRange(size)))
    }

    // MARK: - Limits

    @Test func `a frame above the limit is refused by its header, and one at the limit accepted`() {
        let limits = ConnectionLimits(frameByteCount: 300)
        let receiver = opened(limits)
        receiver.receive(Octets.message([[UInt8](repeating: 1, count: 300)]))
        #expect(receiver.messages.count == 1)
        let start = offset(309)
        receiver.receive([2] + Octets.bigEndian(UInt64(301)))
        #expect(receiver.fault == faultAt(start, .frameTooLarge(byteCount: 301, limit: 300)))
        let lying = opened(limits)
        lying.receive([2] + Octets.bigEndian(UInt64(Int64.max)))
        #expect(lying.fault?.reason == .frameTooLarge(byteCount: .max, limit: 300))
    }

    @Test func `a message above its limit of bytes is refused by the header that exceeds it`() {
        let receiver = opened(ConnectionLimits(messageByteCount: 10))
        receiver.receive(Octets.message([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]]))
        #expect(receiver.messages.count == 1)
        receiver.receive(Octets.frame(flags: 1, [1, 2, 3, 4]))
        receiver.receive([0, 7])
        #expect(receiver.fault == faultAt(offset(16 + 6), .messageTooLarge(limit: 10)))
    }

    @Test func `a message of too many frames is refused, even if they are empty`() {
        let receiver = opened(ConnectionLimits(frameCount: 3))
        receiver.receive(Octets.message([[], [], []]))
        #expect(receiver.messages == [[[], [], []]])
        receiver.receive([1, 0, 1, 0, 1])
        #expect(receiver.fault == nil)
        // The third frame is not the last one, so there are more than three.
        receiver.receive([0])
        #expect(receiver.fault == faultAt(offset(6 + 4), .tooManyFrames(limit: 3)))
        let single = opened(ConnectionLimits(frameCount: 1))
        single.receive([0, 0, 1, 0])
        #expect(single.messages == [[[]]])
        #expect(single.fault == faultAt(offset(2), .tooManyFrames(limit: 1)))
    }

    @Test func `limits apply to each message separately`() {
        let receiver = opened(ConnectionLimits(frameCount: 2, messageByteCount: 4))
        for _ in 0..<50 {
            receiver.receive(Octets.message([[1, 2], [3, 4]]))
        }
        #expect(receiver.messages.count == 50)
        #expect(receiver.fault == nil)
    }

    @Test func `the bytes that a large frame needs are known from its header`() {
        let receiver = opened()
        receiver.receive(Octets.frame(flags: 1, [7]))
        #expect(receiver.byteCountNeeded == 3 + 2)
        receiver.receive([2])
        #expect(receiver.byteCountNeeded == 3 + 9)
        receiver.receive(Octets.bigEndian(UInt64(100_000)))
        #expect(receiver.byteCountNeeded == 3 + 9 + 100_000)
        receiver.receive([UInt8](repeating: 9, count: 100_000))
        #expect(receiver.messages == [[[7], [UInt8](repeating: 9, count: 100_000)]])
    }

    @Test func `a buffer of the size given by the limits suffices for all that a peer may send`() {
        let limits = ConnectionLimits(
            commandByteCount: 41, frameByteCount: 30, frameCount: 4, messageByteCount: 40)
        #expect(limits.bufferedByteCount == 4 * 9 + 40)
        var generator = SeededGenerator(seed: 5)
        var byteCountNeededMax = 0
        for _ in 0..<2_000 {
            let receiver = opened(limits)
            for _ in 0..<8 {
                let flags: UInt8 = generator.pick([0, 1, 1, 1, 4])
                let body = [UInt8](repeating: 0, count: generator.pick([0, 10, 20]))
                let frame = Octets.frame(flags: flags, body, isLong: generator.isLucky(90))
                for byte in frame {
                    receiver.receive(CollectionOfOne(byte))
                }
            }
            byteCountNeededMax = max(byteCountNeededMax, receiver.byteCountNeededMax)
        }
        // The receiver checks that no more is ever needed; this shows that no byte is spare.
        #expect(byteCountNeededMax == limits.bufferedByteCount)
    }

    @Test func `no bytes are needed after an event, and after the last as many as are missing`() {
        var connection = Connection(.router, at: .zero)
        let large = [UInt8](repeating: 1, count: 1_000)
        let bytes =
            Octets.dealerStart + Octets.message([large]) + Octets.message([[2]]) + [1, 1, 3]
        var cursor = 0
        var eventCount = 0
        while connection.next(in: bytes.span.bytes, at: &cursor) != nil {
            eventCount += 1
            #expect(connection.byteCountNeeded == 0)
        }
        #expect(eventCount == 5)
        #expect(cursor == bytes.count - 3)
        #expect(connection.byteCountNeeded == 3 + 2)
    }

    // MARK: - Frames

    @Test func `frames are read on after their remaining bytes were moved`() {
        let bytes =
            Octets.frame(flags: 1, [1]) + Octets.command("PING", [0, 0])
            + Octets.frame(flags: 1, []) + Octets.frame(flags: 0, [2, 3], isLong: true)
        var frames = Message.Frames(range: 0..<bytes.count)
        #expect(frames.rest == 0..<bytes.count)
        #expect(frames.next(in: bytes.span.bytes) == 2..<3)
        #expect(frames.rest == 3..<bytes.count)
        let moved = [0xEE] + Array(bytes[frames.rest])
        var rest = Message.Frames(range: 1..<moved.count)
        #expect(rest.next(in: moved.span.bytes)?.count == 0)
        #expect(rest.next(in: moved.span.bytes).map { Array(moved[$0]) } == [2, 3])
        #expect(rest.rest.isEmpty)
        #expect(rest.next(in: moved.span.bytes) == nil)
    }

    // MARK: - Commands between frames

    @Test func `PING between the frames of a message is answered once and is not a frame`() {
        let receiver = opened()
        receiver.receive(Octets.frame(flags: 1, [1]))
        receiver.receive(Octets.command("PING", [0, 0, 42]))
        #expect(receiver.records.last == .sent(Octets.command("PONG", [42])))
        receiver.receive([0])
        receiver.receive([1, 2])
        #expect(receiver.records.last == .message([[1], [2]]))
        #expect(receiver.records.count { $0 == .sent(Octets.command("PONG", [42])) } == 1)
    }

    @Test func `commands within an unfinished message count for its limits`() {
        let frames = opened(ConnectionLimits(frameCount: 10))
        frames.receive(Octets.frame(flags: 1, [1]))
        for _ in 0..<8 {
            frames.receive(Octets.command("PONG"))
        }
        #expect(frames.fault == nil)
        // A tenth frame must be the last one of the message.
        frames.receive(Octets.command("PONG"))
        #expect(frames.fault?.reason == .tooManyFrames(limit: 10))
        let bytes = opened(ConnectionLimits(messageByteCount: 20))
        bytes.receive(Octets.frame(flags: 1, [1]))
        bytes.receive(Octets.command("HELLO", [UInt8](repeating: 0, count: 13)))
        #expect(bytes.fault == nil)
        bytes.receive([0, 1])
        #expect(bytes.fault?.reason == .messageTooLarge(limit: 20))
    }

    @Test func `commands between messages are not limited in number`() {
        let receiver = opened(ConnectionLimits(frameCount: 1, messageByteCount: 1))
        for _ in 0..<1_000 {
            receiver.receive(Octets.command("PING", [0, 0]))
        }
        #expect(receiver.fault == nil)
        #expect(receiver.records.count == 3 + 1_000)
    }
}
