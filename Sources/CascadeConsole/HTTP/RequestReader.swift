// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Reads whole requests from a connection and writes responses to it, one after the other. Closes the
/// connection at the first request that the ``Door`` refuses.
final class RequestReader: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = Request
    typealias OutboundIn = Response
    typealias OutboundOut = HTTPServerResponsePart

    /// The time within which a head must be complete.
    private static let headTime = TimeAmount.seconds(5)
    /// The time within which a body must be complete.
    private static let bodyTime = TimeAmount.seconds(10)
    /// The time for which a connection may be idle between two requests.
    private static let idleTime = TimeAmount.seconds(60)
    /// The time within which a response must have been sent.
    private static let writeTime = TimeAmount.seconds(30)
    /// The time within which a refusal must have been sent.
    private static let refusalTime = TimeAmount.seconds(5)

    private enum State {
        /// Waits for a head.
        case waiting
        case reading(HTTPRequestHead, [UInt8])
        /// A request is being answered.
        case answering(keepsAlive: Bool)
        case closing
    }

    private let door: Door
    private let peer: Peer
    private let connections: Connections
    private let meter: HeadMeter
    private var state = State.waiting
    private var deadline: Scheduled<Void>?

    init(door: Door, peer: Peer, connections: Connections, meter: HeadMeter) {
        self.door = door
        self.peer = peer
        self.connections = connections
        self.meter = meter
    }

    func channelActive(context: ChannelHandlerContext) {
        connections.add(context.channel)
        limit(context, Self.headTime)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        state = .closing
        connections.remove(context.channel)
        context.fireChannelInactive()
    }

    // MARK: - Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (_, .closing):
            break
        case (.head(let head), .waiting):
            do throws(Refusal) {
                try door.check(head)
                state = .reading(head, [])
                meter.isInHead = false
                limit(context, Self.bodyTime)
            } catch {
                refuse(error, context)
            }
        case (.body(let part), .reading(let head, var body)):
            guard body.count + part.readableBytes <= Door.bodyByteCountMax else {
                refuse(.longBody, context)
                return
            }
            body.append(contentsOf: part.readableBytesView)
            state = .reading(head, body)
        case (.end(nil), .reading(let head, let body)):
            do throws(Refusal) {
                let request = try Request(head, from: peer, body: body)
                deadline?.cancel()
                state = .answering(keepsAlive: head.isKeepAlive)
                connections.set(.answering, of: context.channel)
                // What the client sends meanwhile is the beginning of its next head.
                meter.begin()
                context.fireChannelRead(wrapInboundOut(request))
            } catch {
                refuse(error, context)
            }
        default:
            // A second request before the answer to the first, or trailers.
            refuse(Refusal(400, "badRequest", "One request is sent at a time."), context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case let refusal as Refusal: refuse(refusal, context)
        case is HTTPParserError:
            refuse(Refusal(400, "badRequest", "The request is not HTTP/1.1: \(error)"), context)
        default: close(context)
        }
    }

    // MARK: - Writing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .answering(let keepsAlive) = state else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        connections.set(.sending, of: context.channel)
        limit(context, Self.writeTime)
        let written = context.eventLoop.makePromise(of: Void.self)
        write(unwrapOutboundIn(data), context, promise: written)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        written.futureResult.whenSuccess {
            let (reader, context) = bound.value
            reader.answered(context, keepsAlive: keepsAlive)
        }
        written.futureResult.cascade(to: promise)
    }

    /// A response has been sent.
    private func answered(_ context: ChannelHandlerContext, keepsAlive: Bool) {
        connections.set(.idle, of: context.channel)
        guard keepsAlive, case .answering = state else {
            close(context)
            return
        }
        state = .waiting
        limit(context, Self.idleTime)
    }

    private func write(
        _ response: Response, _ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?
    ) {
        context.write(wrapOutboundOut(.head(response.head)), promise: nil)
        let body = context.channel.allocator.buffer(bytes: response.body)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
    }

    private func refuse(_ refusal: Refusal, _ context: ChannelHandlerContext) {
        guard case .closing = state else {
            state = .closing
            meter.isClosed = true
            connections.set(.sending, of: context.channel)
            // A client that does not read its refusal does not keep the connection.
            limit(context, Self.refusalTime)
            let written = context.eventLoop.makePromise(of: Void.self)
            write(Response(refusal), context, promise: written)
            let channel = context.channel
            written.futureResult.whenComplete { _ in channel.close(promise: nil) }
            return
        }
    }

    private func close(_ context: ChannelHandlerContext) {
        state = .closing
        context.close(promise: nil)
    }

    /// Closes the connection unless another limit is set within this time.
    private func limit(_ context: ChannelHandlerContext, _ time: TimeAmount) {
        deadline?.cancel()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}

/// Counts the bytes of a head before it is parsed, so that an endless one ends the connection.
final class HeadMeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var byteCount = 0
    /// Whether the head is incomplete.
    var isInHead = true
    /// Whether nothing more is read, because the connection is about to be closed.
    var isClosed = false

    /// Begins another request.
    func begin() {
        byteCount = 0
        isInHead = true
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosed else {
            return
        }
        byteCount += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
        // What was read may have completed the head, with some of the body behind it.
        if isInHead, byteCount > Door.headByteCountMax {
            context.fireErrorCaught(Refusal.longHead)
        }
    }
}
