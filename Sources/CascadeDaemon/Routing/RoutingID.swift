// SPDX-License-Identifier: Apache-2.0

/// A routing ID that a ROUTER assigned: a zero byte and a number of four bytes.
struct RoutingID: Hashable {
    static let byteCount = 5

    private var number: UInt32 = 0

    init() {}

    /// `nil` if the bytes do not have the form of an assigned ID.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount, bytes[0] == 0 else {
            return nil
        }
        number = bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
    }

    /// The number of IDs that a ROUTER has assigned after `first` up to this one. It counts them in
    /// network byte order.
    func offset(from first: RoutingID) -> UInt32 {
        UInt32(bigEndian: number) &- UInt32(bigEndian: first.number)
    }

    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var bytes: UInt64 = UInt64(number) << 8
        #if _endian(big)
        #error("the bytes of a routing ID are laid out for little-endian machines")
        #endif
        return try withUnsafeBytes(of: &bytes) { buffer throws(Failure) -> Result in
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<Self.byteCount]))
        }
    }
}
