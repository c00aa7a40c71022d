// SPDX-License-Identifier: Apache-2.0

/// The name that a ROUTER gave a connection: a zero byte and a number of four bytes.
struct RoutingID: Hashable {
    static let byteCount = 5

    private var number: UInt32 = 0

    init() {}

    /// `nil` if the bytes are a name that a peer chose for itself.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount, bytes[0] == 0 else {
            return nil
        }
        number = bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
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
