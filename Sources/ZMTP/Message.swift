// SPDX-License-Identifier: Apache-2.0

/// A complete message where it lies in the caller's receive buffer.
///
/// The engine delivers all frames of a message or none (RFC 37, *Messages*), and copies none of them.
/// All offsets are those of the buffer that was passed to ``Connection/next(in:at:)``, so a message is
/// valid as long as the buffer is unchanged.
package struct Message: Equatable, Sendable {
    /// The bytes of the message with its headers, and of commands between its frames.
    package let range: Range<Int>

    package let frameCount: Int

    /// The sum of the sizes of the frames.
    package let bodyByteCount: Int

    /// The frames in their order.
    package var frames: Frames {
        Frames(range: range)
    }

    /// A position among the frames of a message.
    package struct Frames: Sendable {
        private var position: Int
        private let end: Int

        /// The frames in a message's ``Message/range``, or in the ``rest`` of one.
        ///
        /// An owner that has moved these bytes passes where they are now.
        package init(range: Range<Int>) {
            position = range.lowerBound
            end = range.upperBound
        }

        /// The positions of the frames that have not been returned.
        package var rest: Range<Int> {
            position..<end
        }

        /// Returns where in `bytes` the body of the next frame is, or `nil` after the last one.
        ///
        /// The headers were checked before, so a buffer that is still the same contains no fault.
        package mutating func next(in bytes: RawSpan) -> Range<Int>? {
            while position < end {
                guard let frame = try? FrameHeader.decode(bytes, at: position),
                    frame.header.bodyByteCount <= end - frame.bodyStart
                else {
                    preconditionFailure("The receive buffer has changed below a message")
                }
                position = frame.end
                if !frame.header.isCommand {
                    return frame.bodyStart..<frame.end
                }
            }
            return nil
        }
    }
}

/// Finds complete messages and commands in a growing buffer, within the limits.
///
/// Headers that were checked are not read again when more of a message arrives: a message that comes in
/// many pieces costs as much as one in a single piece.
struct MessageScanner: Sendable {
    enum Found: Equatable {
        case message(Message)

        /// The body of a command. It may lie between the frames of an unfinished message: libzmq sends
        /// PING there.
        case command(Range<Int>)
    }

    /// The bytes of the unfinished message whose headers were checked, counted from its first header.
    private var scannedByteCount = 0

    /// The frames among them, with and without commands.
    private var headerCount = 0
    private var frameCount = 0

    /// The sizes of the bodies among them, with and without commands.
    private var storedByteCount = 0
    private var bodyByteCount = 0

    /// Whether the peer has sent a part of a message.
    var isWithinMessage: Bool {
        frameCount > 0
    }

    /// Returns the next complete message or command from `cursor`, where the unfinished message begins.
    /// Returns `nil` if there is none, and sets `byteCountNeeded` to how many bytes from `cursor` must be
    /// present before there can be one.
    ///
    /// The cursor moves behind a message and behind a command outside of messages. It stays before a
    /// message that contains a command.
    mutating func next(
        in bytes: RawSpan, at cursor: inout Int, limits: borrowing ConnectionLimits,
        byteCountNeeded: inout Int
    ) throws(Fault) -> Found? {
        while true {
            let start = cursor + scannedByteCount
            guard let frame = try FrameHeader.decode(bytes, at: start) else {
                byteCountNeeded =
                    scannedByteCount + FrameHeader.byteCountNeeded(bytes, at: start)
                return nil
            }
            try check(frame.header, at: start, limits: limits)
            guard frame.end <= bytes.byteCount else {
                byteCountNeeded = frame.end - cursor
                return nil
            }
            if frame.header.isCommand {
                addCommand(frame, start: start, at: &cursor)
                return .command(frame.bodyStart..<frame.end)
            }
            if let message = addFrame(frame, at: &cursor) {
                return .message(message)
            }
        }
    }

    /// Checks a frame by its header alone, before the caller stores any byte of its body.
    private func check(
        _ header: FrameHeader, at start: Int, limits: borrowing ConnectionLimits
    ) throws(Fault) {
        if header.isCommand {
            guard header.bodyByteCount <= limits.commandByteCount else {
                throw Fault(
                    .commandTooLarge(
                        byteCount: header.bodyByteCount, limit: limits.commandByteCount),
                    at: start)
            }
            guard isWithinMessage else {
                return
            }
        } else {
            guard header.bodyByteCount <= limits.frameByteCount else {
                throw Fault(
                    .frameTooLarge(byteCount: header.bodyByteCount, limit: limits.frameByteCount),
                    at: start)
            }
        }
        // The last frame must fit, too: one more header would not fit the caller's buffer.
        let isLast = !header.isCommand && !header.hasMore
        guard headerCount < (isLast ? limits.frameCount : limits.frameCount - 1) else {
            throw Fault(.tooManyFrames(limit: limits.frameCount), at: start)
        }
        guard header.bodyByteCount <= limits.messageByteCount - storedByteCount else {
            throw Fault(.messageTooLarge(limit: limits.messageByteCount), at: start)
        }
    }

    private mutating func addCommand(
        _ frame: FrameHeader.Decoded, start: Int, at cursor: inout Int
    ) {
        guard isWithinMessage else {
            cursor = frame.end
            return
        }
        scannedByteCount += frame.end - start
        headerCount += 1
        storedByteCount += frame.header.bodyByteCount
    }

    /// Adds a frame; returns the message that it completes.
    private mutating func addFrame(
        _ frame: FrameHeader.Decoded, at cursor: inout Int
    ) -> Message? {
        frameCount += 1
        bodyByteCount += frame.header.bodyByteCount
        guard !frame.header.hasMore else {
            scannedByteCount = frame.end - cursor
            headerCount += 1
            storedByteCount += frame.header.bodyByteCount
            return nil
        }
        let message = Message(
            range: cursor..<frame.end, frameCount: frameCount, bodyByteCount: bodyByteCount)
        cursor = frame.end
        self = MessageScanner()
        return message
    }
}
