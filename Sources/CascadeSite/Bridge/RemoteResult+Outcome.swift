// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

extension RemoteResult {
    /// How a message has ended above, as the verdict about its visit at home.
    ///
    /// - Parameters:
    ///   - settled: The outcome on the parent's bus, with the paths of that bus.
    ///   - reported: The error as the site names it, in the lane of errors.
    init(
        _ settled: SettledEvent, in lane: Lane, reported: Failure?, _ paths: PathTranslator
    ) {
        let failure = settled.ended.failure.map { paths.downward($0) }
        var end = RemoteEnd(
            handler: settled.by.flatMap { try? paths.downward($0) },
            trail: settled.ended.trail.compactMap { paths.downward($0) })
        switch (settled.ended.code, lane) {
        case (.handled, .request):
            self.init(.answered, end, reply: settled.reply ?? Reply(payload: []))
        case (.handled, _):
            // In the lane of errors, the error may have been replaced before it was handled.
            self.init(.handled, end, failure: lane == .error ? failure : nil)
        case (.cascaded, _):
            end.recipients = settled.ended.recipients.compactMap { try? paths.downward($0) }
            self.init(end.recipients.isEmpty ? .passed : .handled, end)
        case (.unhandled, .event), (.unhandled, .request):
            self.init(.passed, end)
        case (.failed, .error) where failure == reported:
            self.init(.passed, end)
        case (.failed, .event), (.failed, .request), (_, .cascade):
            self.init(
                .failed, end, failure: failure ?? Failure(.responderFailed), reply: settled.reply)
        default:
            end.outcome = settled.ended.code
            self.init(.failed, end, failure: failure)
        }
    }
}

extension PathTranslator {
    /// Returns an error of the parent's bus with the paths that the site uses. A path that becomes too long
    /// is left out.
    func downward(_ failure: Failure) -> Failure {
        translated(failure) { (path) throws(NameError) in try downward(path) }
    }

    /// Returns an error of the site's bus with the paths that the parent uses.
    func upward(_ failure: Failure) -> Failure {
        translated(failure) { (path) throws(NameError) in try upward(path) }
    }

    private func translated(
        _ failure: Failure, _ path: (NodePath) throws(NameError) -> NodePath
    ) -> Failure {
        var failure = failure
        failure.node = failure.node.flatMap { try? path($0) }
        failure.causes = failure.causes.map { translated($0, path) }
        return failure
    }

    /// Returns a visit on the parent's bus with the path that the site uses; `nil` if it is too long.
    fileprivate func downward(_ visit: VisitRecord) -> VisitRecord? {
        guard let path = try? downward(visit.path) else {
            return nil
        }
        var visit = visit
        visit.path = path
        return visit
    }
}
