// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeService
import Testing

@testable import CascadeDaemon

@Suite struct DescriptorLimitsTests {
    private func limits(
        _ descriptorMax: Int, isShared: Bool, usesLibzmq: Bool = false,
        connectionsPerUser: UInt32 = .max
    ) throws -> DescriptorLimits {
        var limits = Limits()
        limits.connectionsPerUser = connectionsPerUser
        return try DescriptorLimits(
            limits, descriptorMax: descriptorMax, isShared: isShared, usesLibzmq: usesLibzmq)
    }

    @Test func `one user has nearly all descriptors of a bus of its own`() throws {
        let own = try limits(4_096, isShared: false)
        // Two descriptors for each connection, and 64 for everything else.
        #expect(own.total == 2_016 && own.perUser == 2_016)
        #expect(own.descriptorMax == 4_096)
    }

    @Test func `one user of several has a share of the descriptors`() throws {
        let shared = try limits(4_096, isShared: true)
        #expect(shared.total == 2_016 && shared.perUser == 512)
    }

    @Test func `a user has the same share if libzmq accepts connections`() throws {
        for isShared in [false, true] {
            let limits = try limits(4_096, isShared: isShared, usesLibzmq: true)
            #expect(limits.total == 1_024 && limits.perUser == 512)
        }
    }

    @Test(arguments: [false, true]) func `connectionsPerUser lowers the share`(
        isShared: Bool
    ) throws {
        #expect(try limits(4_096, isShared: isShared, connectionsPerUser: 5).perUser == 5)
    }

    @Test func `too few descriptors are an error that names their number`() throws {
        _ = try limits(256, isShared: true)
        let few = #expect(throws: EndpointError.self) { _ = try limits(255, isShared: true) }
        #expect(few?.description.contains("at least 256 file descriptors") == true)
        let fewer = #expect(throws: EndpointError.self) {
            _ = try limits(4_095, isShared: true, usesLibzmq: true)
        }
        #expect(fewer?.description.contains("at least 4096 file descriptors") == true)
    }
}
