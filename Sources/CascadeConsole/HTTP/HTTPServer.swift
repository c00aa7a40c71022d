// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOPosix

/// The place where the console listens.
public enum ListenAddress: Sendable, Equatable {
    /// A port of the loopback interface; 0 for a free one.
    case loopback(port: Int)
    /// A Unix socket.
    case unix(path: String)

    /// `nil` unless `text` is `127.0.0.1:PORT` or `unix:PATH`.
    public init?(_ text: String) {
        let scheme = "unix:"
        if text.hasPrefix(scheme), text.utf8.count > scheme.utf8.count {
            self = .unix(path: String(text.dropFirst(scheme.count)))
            return
        }
        let host = "127.0.0.1:"
        guard text.hasPrefix(host), let port = UInt16(text.dropFirst(host.count)) else {
            return nil
        }
        self = .loopback(port: Int(port))
    }
}

/// The server for browsers, on one thread.
struct HTTPServer {
    private typealias Connection = NIOAsyncChannel<Request, Response>

    private let listener: NIOAsyncChannel<Connection, Never>
    /// The port; `nil` on a Unix socket.
    let port: Int?

    /// Listens at an address. Throws an error of the system if it is taken.
    init(at address: ListenAddress, hosts: Set<String>, on group: some EventLoopGroup) async throws
    {
        let connections = Connections()
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 128)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16_384))
        let make = { @Sendable (channel: any Channel) in
            channel.eventLoop.makeCompletedFuture {
                let port =
                    if case .loopback = address { channel.localAddress?.port } else { Int?.none }
                let meter = HeadMeter()
                try channel.pipeline.syncOperations.addHandlers([
                    meter, HTTPResponseEncoder(),
                    ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
                    RequestReader(
                        door: Door(port: port, hosts: hosts), connections: connections, meter: meter
                    ),
                ])
                return try Connection(wrappingChannelSynchronously: channel)
            }
        }
        switch address {
        case .loopback(let port):
            listener = try await bootstrap.bind(
                host: "127.0.0.1", port: port, childChannelInitializer: make)
            self.port = listener.channel.localAddress?.port
        case .unix(let path):
            listener = try await bootstrap.bind(
                unixDomainSocketPath: path, cleanupExistingSocketFile: true,
                childChannelInitializer: make)
            port = nil
        }
    }

    /// Serves connections until the task is cancelled.
    func run(_ answer: @escaping @Sendable (Request) async -> Response) async throws {
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
