// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeWire

/// The view of the bus, the pages that look at it, and their waiting for changes.
actor Console {
    /// The number of pages at once.
    static let pageCountMax = 16
    /// The time after which a page that asks no more is forgotten.
    private static let forgetTime = Duration.seconds(30)
    /// The time between two beats. A page gets at most one frame between them, and pages that wait get theirs
    /// at the same beat: then one frame can be made for all that have seen the same.
    private static let beat = Duration.milliseconds(100)
    /// The age up to which a frame is told to a further page, as to its own time.
    private static let frameAgeMax = Duration.milliseconds(10)
    /// The time after which an empty frame is sent.
    private static let emptyTime = Duration.seconds(1)

    private struct Page {
        var lastAnswer: ContinuousClock.Instant?
        var lastSeen: ContinuousClock.Instant
    }

    /// A frame that has been made, for pages that ask for the same.
    private struct MadeFrame {
        let frame: Frame
        let subject: Frame.Subject
        let made: ContinuousClock.Instant
    }

    private(set) var view: BusView
    private let begun = ContinuousClock.now
    private var lastFrame: MadeFrame?
    private var pages: [String: Page] = [:]
    private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    private var lastWaiter = 0
    /// The pages that wait for the next beat, all by one timer.
    private var beatWaiters: [CheckedContinuation<Void, Never>] = []
    var past: ConsolePast

    private let metrics: ConsoleMetrics

    init(
        view: BusView, past: ConsolePast = ConsolePast(), metrics: ConsoleMetrics = ConsoleMetrics()
    ) {
        self.view = view
        self.past = past
        self.metrics = metrics
    }

    /// Changes the view, and wakes the pages that wait.
    func update<Result: Sendable>(_ body: @Sendable (inout BusView) -> Result) -> Result {
        let before = view.version
        let result = body(&view)
        if view.version != before {
            past.arrived(view.version, now: .now)
            wakeAll()
        }
        return result
    }

    /// Whether a page is visible, or a recording runs.
    var isWatched: Bool {
        forgetPages()
        return past.isRecording(isAnyPageVisible: !pages.isEmpty)
    }

    /// The number of visible pages.
    var pageCount: Int {
        forgetPages()
        return pages.count
    }

    /// Waits until a page is visible.
    func waitUntilWatched() async {
        while !isWatched, !Task.isCancelled {
            await waitForChange(atMost: .seconds(60))
        }
    }

    /// Waits until no page is visible.
    func waitUntilUnwatched() async {
        while isWatched, !Task.isCancelled {
            try? await Task.sleep(for: .seconds(5))
        }
    }

    private func forgetPages() {
        let now = ContinuousClock.now
        pages = pages.filter { now - $0.value.lastSeen < Self.forgetTime }
    }

    // MARK: - Frames

    /// Returns the next frame of a page: at once if there is a change, else as soon as there is one, else
    /// an empty one after a second. Throws ``Refusal`` if there are too many pages.
    func frame(_ request: FrameRequest) async throws(Refusal) -> String {
        let begun = ContinuousClock.now
        forgetPages()
        guard pages[request.page] != nil || pages.count < Self.pageCountMax else {
            throw Refusal(
                429, "tooManyPages", "16 pages look at this bus already: close one of them.")
        }
        // A page that has not asked for long is told what there is now, and not all that it has missed.
        let request = pages[request.page] == nil ? request.fromNothing : request
        let isFirst = pages.isEmpty
        let lastAnswer = pages[request.page]?.lastAnswer
        pages[request.page] = Page(lastAnswer: lastAnswer, lastSeen: begun)
        if isFirst {
            wakeAll()
        }
        if let lastAnswer, beat(after: lastAnswer) > begun {
            await waitForBeat()
        }
        let frame =
            request.moment != nil || past.isFile
            ? try await pastFrame(for: request) : await liveFrame(for: request, since: begun)
        let now = ContinuousClock.now
        pages[request.page] = Page(lastAnswer: frame.hasMore ? nil : now, lastSeen: now)
        return frame.text
    }

    private func liveFrame(
        for request: FrameRequest, since begun: ContinuousClock.Instant
    ) async -> Frame {
        while !request.isUrgent, !hasNews(for: request), !Task.isCancelled {
            let left = Self.emptyTime - (ContinuousClock.now - begun)
            guard left > .zero else {
                break
            }
            await waitForChange(atMost: left)
        }
        return metrics.frame {
            makeFrame(for: request)
        } byteCount: {
            $0.text.utf8.count
        }
    }

    private func makeFrame(for request: FrameRequest) -> Frame {
        let subject = Frame.Subject(view, for: request)
        let now = ContinuousClock.now
        if let last = lastFrame, last.subject == subject, now - last.made < Self.frameAgeMax {
            return last.frame
        }
        let frame = Frame(view, for: request, now: .now)
        lastFrame = MadeFrame(frame: frame, subject: subject, made: now)
        return frame
    }

    private func waitForBeat() async {
        await withCheckedContinuation { continuation in
            beatWaiters.append(continuation)
            if beatWaiters.count == 1 {
                Task {
                    await sleep(until: beat(after: .now))
                    let woken = beatWaiters
                    beatWaiters = []
                    for waiter in woken {
                        waiter.resume()
                    }
                }
            }
        }
    }

    private func beat(after instant: ContinuousClock.Instant) -> ContinuousClock.Instant {
        begun + Self.beat * (Int((instant - begun) / Self.beat) + 1)
    }

    private func hasNews(for request: FrameRequest) -> Bool {
        request.epoch != String(view.epoch) || request.after != view.version
    }

    // MARK: - Waiting

    private func wakeAll() {
        let woken = waiters.values
        waiters = [:]
        for waiter in woken {
            waiter.resume()
        }
    }

    func sleep(until instant: ContinuousClock.Instant) async {
        try? await ContinuousClock().sleep(until: instant)
    }

    /// Waits for a change of the view or of the pages, or for a time.
    func waitForChange(atMost time: Duration) async {
        lastWaiter += 1
        let number = lastWaiter
        let timer = Task {
            try await Task.sleep(for: time)
            self.wake(number)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume()
                } else {
                    waiters[number] = continuation
                }
            }
        } onCancel: {
            Task { await self.wake(number) }
        }
        timer.cancel()
    }

    private func wake(_ number: Int) {
        waiters.removeValue(forKey: number)?.resume()
    }
}
