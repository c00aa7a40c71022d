// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// The conformance worker of the library, for `cascadectl conformance`.
@main
struct ConformanceWorker {
    static func main() async {
        let conversation = Conversation()
        do {
            try await WorkerProcess(mount: "/conformance", program: "conformance-worker") {
                conversation.client
            }
            .run(until: { await conversation.leaving.wait() }, onAttached: { say("attached") })
        } catch let error as CascadeError {
            let name = error.reason.map { "\($0)" } ?? "\(error.code)"
            switch error.code {
            case .refused: say("refused attach 0 \(name)")
            default: say("ended \(name)")
            }
            exit(1)
        } catch {
            say("ended \(error)")
            exit(1)
        }
    }
}

/// Prints a line at once.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

/// The responders of the worker, and the lines that it reads.
struct Conversation: Sendable {
    let leaving = Gate()
    private let released = Gate()
    private let raising = RaisingActions()

    @Environment(\.level) private var level
    @Environment(\.triggerEvent) private var triggerEvent

    var client: Node {
        Node("client") {
            Node("below")
                .watch(\.level)
                .observe(Noted.self) { ran($0) }
                .subscribe(to: News.self) { ran($0) }
        }
        .watch(\.level)
        .handle(Work.self) { ran($0) }
        .receive(Maybe.self) { ran($0) == 1 ? .handled : .notHandled }
        .transform(Raw.self) { Cooked(number: ran($0)) }
        .observe(Noted.self) { ran($0) }
        .handle(Noted.self) { ran($0) }
        .handle(Wait.self) { event in
            ran(event)
            await released.wait()
        }
        .handle(Broken.self) { throw Breakdown(number: ran($0)) }
        .handle(Chain.self) { _ = try await triggerEvent(Link(number: ran($0))).outcome }
        .respond(to: Echo.self) { request in
            let number = ran(request)
            return number == 0 ? nil : number
        }
        .respond(to: Stuck.self) { request in
            ran(request)
            // Only the cancellation of the request ends this wait.
            let closed = Gate()
            await closed.wait()
            return nil
        }
        .catchError(Lost.self) { Found(number: ran($0)) }
        .handleError(Alarm.self) { ran($0) }
        .transformError(Rough.self) { Smooth(number: ran($0)) }
        .subscribe(to: Memo.self) { ran($0) }
        .subscribe(to: News.self) { ran($0) }
        .subscribe(to: Torn.self) { throw Breakdown(number: ran($0)) }
        .onLine { try await follow($0) }
    }

    @discardableResult
    private func ran(_ message: some Numbered) -> Int {
        say("ran \(type(of: message).name) \(message.number) \(level)")
        return message.number
    }

    private func follow(_ line: String) async throws {
        let words = line.split(separator: " ")
        switch words.first {
        case "leave": leaving.open()
        case "release": released.open()
        default:
            if let verb = words.first {
                let number = words.dropFirst().first.flatMap { Int($0) } ?? 0
                await raising.perform(String(verb), number)
            }
        }
    }
}

/// A gate for one task at a time. Each opening lets one wait pass; cancellation ends the wait.
struct Gate: Sendable {
    private let openings = AsyncStream.makeStream(of: Void.self)

    func wait() async {
        for await _ in openings.stream {
            return
        }
    }

    func open() {
        openings.continuation.yield()
    }
}

// MARK: - Messages

/// A value whose payload is a whole number.
protocol Numbered: NamedValue {
    var number: Int { get }
    init(number: Int)
}

extension Numbered {
    init(from decoder: any Decoder) throws {
        self.init(number: try decoder.singleValueContainer().decode(Int.self))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}

struct Work: Event, Numbered { let number: Int }
struct Maybe: Event, Numbered { let number: Int }
struct Raw: Event, Numbered { let number: Int }
struct Cooked: Event, Numbered { let number: Int }
struct Noted: Event, Numbered { let number: Int }
struct Wait: Event, Numbered { let number: Int }
struct Broken: Event, Numbered { let number: Int }
struct Chain: Event, Numbered { let number: Int }
struct Link: Event, Numbered { let number: Int }
struct Found: Event, Numbered { let number: Int }
struct Memo: Event, Numbered { let number: Int }
struct News: Event, Numbered { let number: Int }
struct Torn: Event, Numbered { let number: Int }
struct Made: Event, Numbered { let number: Int }
struct Kept: Event, Numbered { let number: Int }
struct Swept: Event, Numbered { let number: Int }
struct Told: Event, Numbered { let number: Int }

struct Echo: Request, Numbered {
    typealias Reply = Int
    let number: Int
}

struct Stuck: Request, Numbered {
    typealias Reply = Int
    let number: Int
}

struct Ask: Request, Numbered {
    typealias Reply = Int
    let number: Int
}

struct Breakdown: ReportableError, Numbered { let number: Int }
struct Lost: ReportableError, Numbered { let number: Int }
struct Alarm: ReportableError, Numbered { let number: Int }
struct Rough: ReportableError, Numbered { let number: Int }
struct Smooth: ReportableError, Numbered { let number: Int }
struct Fault: ReportableError, Numbered { let number: Int }

/// An event under the name of ``Made`` whose payload is a string.
struct Large: Event {
    static let name = "Made"
    let text: String

    init(byteCount: Int) {
        text = String(repeating: "x", count: byteCount)
    }

    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

struct LevelKey: EnvironmentKey {
    static let defaultValue = 0
}

extension EnvironmentValues {
    var level: Int {
        get { self[LevelKey.self] }
        set { self[LevelKey.self] = newValue }
    }
}
