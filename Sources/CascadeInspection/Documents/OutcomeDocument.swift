// SPDX-License-Identifier: Apache-2.0

public import CascadeJSON
public import CascadeWire

/// The outcome of a message, or the trace of one that may still be under way.
///
/// A trace has the members from `lane` on. An outcome that the origin receives has the reply.
public struct OutcomeDocument: InspectionDocument {
    public static let schemaName = "cascade/v1/outcome"

    public private(set) var schema = DocumentSchema<Self>()
    public var id: EventID
    /// The name with which the message was raised.
    public var name: EventName?
    /// The outcome; `nil` while the message is under way.
    public var outcome: DocumentWord<OutcomeCode>?
    /// The node that handled, answered or caught the message.
    public var by: NodePath?
    /// The reply to a request, or the payload of the error with which a request failed, if it is JSON.
    public var reply: JSONValue?
    /// The reply or the payload of the error in Base64, if it is not JSON.
    public var replyBase64: String?
    /// The content type of the reply or the payload; `nil` for JSON.
    public var contentType: String?
    /// The error with which the message ended, with the errors that led to it.
    public var error: Failure?
    /// The recipients of a publication, or the nodes where a cascade ran.
    public var paths: [NodePath]?
    /// The recipients that failed.
    public var failedPaths: [NodePath]?
    /// The number of further paths that are left out.
    public var omittedPaths: Int?
    /// The visits in their order.
    public var trail: [VisitEntry]?
    /// The number of visits that are left out between the first and the last ones of the trail.
    public var omittedVisits: UInt32?
    /// The lane, or `publication`.
    public var lane: DocumentWord<Lane>?
    /// The node that raised the message.
    public var origin: NodePath?
    /// The message during whose visit this one was raised.
    public var cause: EventID?
    /// The W3C trace context with which the message was raised.
    public var traceparent: TraceParent?
    /// The time at which the message arrived at the bus.
    public var begun: Timestamp?
    /// The time of the outcome.
    public var ended: Timestamp?
    /// The messages that were raised during the visits of this one, if the daemon names them.
    public var caused: [CausedMessage]?
}

/// A message that another one has caused.
public struct CausedMessage: Codable, Hashable, Sendable {
    public var id: EventID
    /// The name with which the message was raised.
    public var name: EventName?
    /// The lane, or `publication`.
    public var lane: DocumentWord<Lane>
    /// The node that raised the message; `nil` if the policy hides it.
    public var origin: NodePath?
    /// The outcome; `nil` while the message is under way.
    public var outcome: DocumentWord<OutcomeCode>?
}

/// A visit in the trail of a message.
public struct VisitEntry: Codable, Hashable, Sendable {
    public var path: NodePath
    /// The position of the responder in the node's list, from 0.
    public var responder: Int
    public var kind: DocumentWord<ResponderKind>
    /// The name that the message had when the responder was asked.
    public var name: EventName
    /// `passed`, `handled`, `replaced`, `failed`, `answered`, or `timedOut`.
    public var verdict: DocumentWord<Verdict>
    /// The time from the sending of the visit to the arrival of its verdict, in microseconds.
    public var microseconds: UInt32
    /// The time from the beginning of the message to the sending of the visit, in microseconds; `nil` if the
    /// bus does not say it.
    public var at: UInt32?
    /// The time from the sending of the visit until the node accepted it, in microseconds; `nil` if the node
    /// did not say that it did.
    public var waited: UInt32?
    /// The message of an error, for people.
    public var message: String?
    /// The title of an error, shown above its message.
    public var title: String?

    /// A node's answer to a visit.
    public enum Verdict: String, NamedCase {
        case passed, handled, replaced, failed, answered, timedOut
    }
}

// MARK: - Outcomes of the wire

extension OutcomeDocument {
    /// Creates the document of a message that this process has raised.
    ///
    /// - Parameters:
    ///   - id: The ID of the message.
    ///   - name: The name under which it was raised.
    ///   - ended: The message with its outcome.
    ///   - handler: The node that handled it.
    ///   - reply: The reply to a request, or the payload of its error, with its content type; `nil` for
    ///     JSON.
    package init(
        id: EventID, name: EventName, _ ended: OutcomeMessage, by handler: NodePath?,
        reply: (payload: [UInt8], contentType: String?)?
    ) {
        self.init(id: id, name: name, outcome: DocumentWord(ended.code))
        let isHandled = ended.code == .handled || ended.code == .caught
        by = isHandled ? handler : nil
        if let reply {
            self.reply = JSONValue.json(reply.payload[...], reply.contentType)
            if self.reply == nil, !reply.payload.isEmpty {
                replyBase64 = Base64.encode(reply.payload)
            }
            contentType = reply.contentType
        }
        error = ended.failure
        // For these outcomes an empty list of recipients means something.
        let listsPaths = [.delivered, .noSubscriber, .cascaded].contains(ended.code)
        paths = listsPaths || !ended.recipients.isEmpty ? ended.recipients : nil
        failedPaths = ended.failedRecipients.isEmpty ? nil : ended.failedRecipients
        trail = ended.trail.isEmpty ? nil : ended.trail.map { VisitEntry($0) }
        omittedVisits = ended.omittedVisitCount == 0 ? nil : ended.omittedVisitCount
    }
}

extension VisitEntry {
    package init(_ visit: VisitRecord) {
        self.init(
            path: visit.path, responder: visit.responder, kind: DocumentWord(visit.kind),
            name: visit.name,
            verdict: DocumentWord(rawValue: visit.hasTimedOut ? "timedOut" : visit.verdict.name),
            microseconds: UInt32(clamping: visit.microseconds),
            at: visit.at.map { UInt32(clamping: $0) },
            waited: visit.waited.map { UInt32(clamping: $0) }, message: visit.message,
            title: visit.title)
    }
}
