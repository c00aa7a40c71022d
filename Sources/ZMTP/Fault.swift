// SPDX-License-Identifier: Apache-2.0

/// The reason why a connection ended before its time, and the byte at which the engine saw it.
///
/// The peer causes all faults, and all are fatal: the owner of the connection closes it.
package struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    package let reason: Reason

    /// The offset of the byte in what the peer has sent, counted from 0. A timeout or an end is after this
    /// number of bytes: of the greeting and the commands that are complete, or of all.
    package internal(set) var offset: UInt64

    init(_ reason: Reason, at index: Int) {
        self.reason = reason
        offset = UInt64(index)
    }

    package enum Reason: Equatable, Sendable {
        // MARK: Greeting

        /// ZMTP 1.0, which sends no version, or a protocol that is not ZMTP.
        case notVersioned(firstByte: UInt8)

        /// The tenth octet of the greeting is not 0x7F.
        case badSignature(UInt8)

        /// ZMTP 2.0 or an earlier version with a version number.
        case outdatedVersion(major: UInt8)

        /// A mechanism other than NULL.
        case unsupportedMechanism(String)

        // MARK: Frames

        /// Flags whose bits 7 to 3 are not all zero.
        case reservedFlags(UInt8)

        /// A command with the MORE flag.
        case commandWithMore

        /// A size of 2^63 or more.
        case frameSizeOutOfRange(UInt64)

        case frameTooLarge(byteCount: Int, limit: Int)
        case messageTooLarge(limit: Int)
        case tooManyFrames(limit: Int)
        case commandTooLarge(byteCount: Int, limit: Int)

        // MARK: Commands

        /// A message where READY must come.
        case messageBeforeReady

        /// A command that is not valid at this point, or never for DEALER and ROUTER.
        case unexpectedCommand(String)

        /// A command that does not follow its grammar.
        case malformedCommand(String)

        // MARK: Metadata

        case malformedMetadata(String)
        case tooManyProperties(limit: Int)
        case incompatibleSocketType(String)

        /// An identity longer than 255 octets.
        case badIdentity

        // MARK: End

        /// The peer sent ERROR with this reason.
        case refusedByPeer(String)

        /// The handshake was not complete at its deadline.
        case handshakeTimeout

        /// The peer closed the connection within its handshake, a frame or a message.
        case unexpectedEnd
    }

    package var description: String {
        switch reason {
        case .handshakeTimeout, .unexpectedEnd: "\(reason) after \(offset) bytes"
        default: "\(reason) at byte \(offset + 1)"
        }
    }

    /// The reason to send in an ERROR command; `nil` if the protocol answers by closing alone.
    ///
    /// ERROR exists only in the handshake. Its reason is a VCHAR string: without spaces. Three digits
    /// would be read as a status code of ZAP.
    var errorReason: StaticString? {
        switch reason {
        case .incompatibleSocketType: "Incompatible-Socket-Type"
        case .badIdentity: "Invalid-Identity"
        case .malformedMetadata, .tooManyProperties: "Invalid-Metadata"
        default: nil
        }
    }
}

extension Fault.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notVersioned(0xFF):
            "the peer speaks ZMTP 1.0, and 3.0 or later is required"
        case .notVersioned(let byte):
            "the peer speaks ZMTP 1.0 or another protocol (its first byte is 0x\(byte.hexadecimal)), "
                + "and ZMTP 3.0 or later is required"
        case .badSignature(let byte):
            "the signature of the greeting ends with 0x\(byte.hexadecimal) instead of 0x7F"
        case .outdatedVersion(let major):
            "the peer speaks ZMTP \(major == 0 ? "1" : "2").0, and 3.0 or later is required"
        case .unsupportedMechanism(let name):
            "the peer demands the security mechanism '\(name)', and only NULL is supported"
        case .reservedFlags(let flags):
            "the flags 0x\(flags.hexadecimal) of a frame contain reserved bits"
        case .commandWithMore:
            "a command has the MORE flag"
        case .frameSizeOutOfRange(let size):
            "a frame of \(size) bytes exceeds the range of ZMTP"
        case .frameTooLarge(let byteCount, let limit):
            "a frame of \(byteCount) bytes exceeds the limit of \(limit)"
        case .messageTooLarge(let limit):
            "a message exceeds the limit of \(limit) bytes"
        case .tooManyFrames(let limit):
            "a message exceeds the limit of \(limit) frames"
        case .commandTooLarge(let byteCount, let limit):
            "a command of \(byteCount) bytes exceeds the limit of \(limit)"
        case .messageBeforeReady:
            "the peer sent a message before READY"
        case .unexpectedCommand(let name):
            "the command \(name) is not valid here"
        case .malformedCommand(let name):
            name.isEmpty ? "a command has no valid name" : "the command \(name) is malformed"
        case .malformedMetadata(let what):
            "the metadata of READY are malformed: \(what)"
        case .tooManyProperties(let limit):
            "the metadata of READY exceed the limit of \(limit) properties"
        case .incompatibleSocketType(let name):
            "a peer of socket type '\(name)' cannot connect to this socket"
        case .badIdentity:
            "the identity is longer than 255 bytes"
        case .refusedByPeer(let reason):
            "the peer refused the connection with ERROR '\(reason)'"
        case .handshakeTimeout:
            "the handshake was not complete in time"
        case .unexpectedEnd:
            "the peer closed the connection within its handshake or a message"
        }
    }
}
