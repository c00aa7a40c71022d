// SPDX-License-Identifier: Apache-2.0

import CascadeSession

/// An error of any type, as untyped responders and requesters receive it.
public struct AnyError: Error, Sendable, CustomStringConvertible {
    /// The name, message and causes of the error.
    public let failure: Failure
    /// The payload; JSON unless ``contentType`` says otherwise.
    public let payload: [UInt8]
    /// The content type of the payload; `nil` for JSON.
    public let contentType: String?
    /// The strings that travel beside the payload: those of the event, or of the request that failed.
    public let attributes: [String: String]

    /// Creates the error with which a request failed.
    ///
    /// - Parameter attributes: The attributes of the request.
    init(_ failure: Failure, _ reply: Reply?, _ attributes: [String: String]) {
        self.failure = failure
        payload = reply?.payload ?? []
        contentType = reply?.contentType
        self.attributes = attributes
    }

    init(_ visit: Visit) {
        failure = visit.failure ?? Failure(name: visit.name)
        payload = Array(visit.payload)
        contentType = visit.contentType
        attributes = visit.attributeTable
    }

    /// The name of the error.
    public var name: EventName {
        failure.name
    }

    /// The message for people.
    public var message: String? {
        failure.message
    }

    /// The title shown above the message. An error with a title is alertable.
    public var title: String? {
        failure.title
    }

    /// The node where the error began.
    public var node: NodePath? {
        failure.node
    }

    /// The errors that led to this one, nearest first.
    public var causes: [Failure] {
        failure.causes
    }

    /// Decodes the error as a value of a type. Throws ``CascadeError`` if the payload does not fit.
    public func decoded<E: ReportableError>(as type: E.Type = E.self) throws -> E {
        try PayloadCodec.decode(type, from: payload, contentType: contentType)
    }

    public var description: String {
        failure.description
    }
}

// MARK: - Thrown errors

/// An error of this process in the form for the bus: its name, message and payload.
struct ThrownError {
    let failure: Failure
    let reply: Reply?

    init(_ error: any Error) {
        switch error {
        case let error as AnyError:
            failure = error.failure
            reply = Reply(payload: error.payload, contentType: error.contentType)
        case let failure as Failure:
            self.failure = failure
            reply = nil
        case let error as any ReportableError:
            failure = Failure(error, named: type(of: error).name)
            // An error that cannot be encoded still has its name and message.
            reply = (try? PayloadCodec.encode(error)).map { Reply(payload: $0) }
        default:
            failure = Failure(error, named: String(describing: type(of: error)))
            reply = nil
        }
    }
}

extension Failure {
    fileprivate init(_ error: any Error, named name: String) {
        let alertable = error as? any AlertableError
        self.init(
            name: EventName(cleaning: name),
            message: alertable?.message ?? String(describing: error), title: alertable?.title)
    }
}

extension EventName {
    /// Creates the valid name closest to `text`. The name of a generic type, for example, contains
    /// characters that names must not have.
    init(cleaning text: String) {
        if let name = try? EventName(text) {
            self = name
            return
        }
        let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
        let name = words.joined(separator: "_").prefix(NameRule.byteCountMax)
        self = (try? EventName(name)) ?? EventName(ErrorCode.responderFailed)
    }
}

extension InvocationResult {
    /// Creates the result of a responder that threw an error.
    init(thrown error: any Error) {
        let thrown = ThrownError(error)
        self = .failed(thrown.failure, thrown.reply)
    }
}

extension Raising {
    init(reporting error: any Error, _ attributes: [Attribute]) {
        let thrown = ThrownError(error)
        self.init(
            name: thrown.failure.name, payload: thrown.reply?.payload ?? [],
            contentType: thrown.reply?.contentType, attributes: attributes,
            message: thrown.failure.message, title: thrown.failure.title)
    }
}
