// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// The server for browsers, on one thread.
struct HTTPServer {
    private typealias Connection = NIOAsyncChannel<Request, Response>

    /// The number of bytes that the kernel keeps for a client that does not read.
    private static let unsentByteCountMax: SocketOptionValue = 65_536

    private let listeners: [NIOAsyncChannel<Connection, Never>]
    /// The port on the loopback interface; `nil` without one.
    let port: Int?

    /// Listens at all of the addresses. Throws ``ListenError`` if one is taken.
    init(
        at addresses: [ListenAddress], hosts: Set<String>, base: String, admitting rule: PeerRule,
        on group: some EventLoopGroup
    ) async throws {
        let connections = Connections()
        let make = { @Sendable (channel: any Channel) in
            Self.peer(of: channel).flatMapThrowing { peer in
                guard rule.admits(peer) else {
                    channel.close(promise: nil)
                    throw ChannelError.inappropriateOperationForState
                }
                let meter = HeadMeter()
                try channel.pipeline.syncOperations.addHandlers([
                    meter, HTTPResponseEncoder(),
                    ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
                    RequestReader(
                        door: Door(
                            port: peer.isLocal ? nil : channel.localAddress?.port, hosts: hosts,
                            base: base),
                        peer: peer, connections: connections, meter: meter),
                ])
                return try Connection(wrappingChannelSynchronously: channel)
            }
        }
        var listeners: [NIOAsyncChannel<Connection, Never>] = []
        for address in addresses {
            do {
                listeners.append(try await Self.listen(on: group, at: address, make))
            } catch {
                for listener in listeners {
                    try? await listener.channel.close()
                }
                throw ListenError(address: address, reason: error)
            }
        }
        self.listeners = listeners
        port = listeners.lazy.compactMap { $0.channel.localAddress?.port }.first
    }

    private static func listen(
        on group: some EventLoopGroup, at address: ListenAddress,
        _ make: @escaping @Sendable (any Channel) -> EventLoopFuture<Connection>
    ) async throws -> NIOAsyncChannel<Connection, Never> {
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 128)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // The kernel keeps megabytes for a client that does not read, unless it is told otherwise.
            .childChannelOption(.socketOption(.so_sndbuf), value: Self.unsentByteCountMax)
            .childChannelOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16_384))
        switch address {
        case .loopback(let port):
            return try await bootstrap.bind(
                host: "127.0.0.1", port: port, childChannelInitializer: make)
        case .unix(let path):
            guard !UnixSocket.isServed(path) else {
                throw ErrorNumber(EADDRINUSE)
            }
            // No other user may connect, not even before the permissions could be changed.
            let mask = umask(0o177)
            defer { umask(mask) }
            return try await bootstrap.bind(
                unixDomainSocketPath: path, cleanupExistingSocketFile: true,
                childChannelInitializer: make)
        case .inherited(let descriptor):
            return try await bootstrap.bind(descriptor, childChannelInitializer: make)
        }
    }

    /// Returns the process at the other end of a connection.
    private static func peer(of channel: any Channel) -> EventLoopFuture<Peer> {
        guard channel.localAddress?.protocol == .unix,
            let provider = channel as? any SocketOptionProvider
        else {
            return channel.eventLoop.makeSucceededFuture(.loopback)
        }
        let credentials: EventLoopFuture<KernelCredentials> = provider.unsafeGetSocketOption(
            level: .socket, name: .init(rawValue: SO_PEERCRED))
        return credentials.map { Peer(userID: $0.userID) }
    }

    /// Serves connections until the task is cancelled.
    func run(_ answer: @escaping @Sendable (Request) async -> Response) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for listener in listeners {
                group.addTask { try await Self.serve(listener, answer) }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private static func serve(
        _ listener: NIOAsyncChannel<Connection, Never>,
        _ answer: @escaping @Sendable (Request) async -> Response
    ) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            try await listener.executeThenClose { connections in
                for try await connection in connections {
                    group.addTask { await Self.serve(connection, answer) }
                }
            }
        }
    }

    private static func serve(
        _ connection: Connection, _ answer: @Sendable (Request) async -> Response
    ) async {
        // An error is that of a connection that has ended.
        try? await connection.executeThenClose { requests, responses in
            for try await request in requests {
                try await responses.write(await answer(request))
            }
        }
    }
}

/// The process at the other end of a socket, in the layout of the kernel's `struct ucred` (unix(7),
/// `SO_PEERCRED`).
private struct KernelCredentials: Sendable {
    var processID: Int32
    var userID: UInt32
    var groupID: UInt32
}

/// An address at which the console cannot listen.
struct ListenError: Error, CustomStringConvertible {
    let address: ListenAddress
    let reason: any Error

    var description: String {
        let place =
            switch address {
            case .loopback(let port): "127.0.0.1:\(port)"
            case .unix(let path): "unix:\(path)"
            case .inherited: "the socket of the service manager"
            }
        let reason = (reason as? IOError).map { ErrorNumber($0.errnoCode).description }
        return "cannot listen at \(place): \(reason ?? "\(self.reason)")"
    }
}
