// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeWire
import Logging

/// What the console has recorded, and when it records.
struct ConsolePast: Sendable {
    /// The time after the last page for which the recording goes on.
    static let keepTime = Duration.seconds(60)
    /// The number of arrivals between two differences whose times are known.
    private static let arrivalCountMax = 100
    /// The age of the last difference above which the recording has stopped: there is one each second.
    private static let pieceAgeMax = Duration.seconds(3)

    fileprivate enum Store: Sendable {
        case growing(any GrowingRecording)
        case file(any Recording)
    }

    fileprivate var store: Store
    fileprivate var recorder = Recorder()
    fileprivate var lastPiece: ContinuousClock.Instant?
    /// When the console came to know what is not recorded yet.
    fileprivate var arrivals: [Recorder.Arrival] = []
    /// The moment that was asked for last, which a page asks for again and again.
    fileprivate var last: (wanted: Timestamp, moment: PastMoment)?
    private let recordsAlways: Bool
    /// Held while the console records in files.
    private var lock: DirectoryLock?
    private var lastWatched: ContinuousClock.Instant?

    /// Records in memory while a page is visible.
    init() {
        store = .growing(MemoryRecording())
        recordsAlways = false
    }

    /// Records as the options say. Throws if a file or directory cannot be used.
    init(_ options: ConsoleOptions) throws {
        if let file = options.captureFile {
            store = .file(try CaptureRecording(file))
        } else if let directory = options.recordDirectory {
            let recording = try SegmentedRecording(
                directory: directory, byteCountMax: options.recordByteCountMax)
            lock = try DirectoryLock(directory)
            recorder = Recorder(after: recording.index.extent?.upperBound)
            store = .growing(recording)
        } else {
            store = .growing(MemoryRecording())
        }
        recordsAlways = options.recordDirectory != nil
    }

    /// Whether a file is shown instead of a bus.
    var isFile: Bool {
        if case .file = store { true } else { false }
    }

    /// Whether the bus has to be asked, because a page is visible or something is recorded.
    mutating func isRecording(isAnyPageVisible: Bool) -> Bool {
        let now = ContinuousClock.now
        if isAnyPageVisible {
            lastWatched = now
        }
        return recordsAlways || lastWatched.map { now - $0 < Self.keepTime } ?? false
    }

    /// Whether what changes is recorded now.
    fileprivate var isRunning: Bool {
        guard case .growing = store else {
            return false
        }
        return lastPiece.map { .now - $0 < Self.pieceAgeMax } ?? false
    }

    fileprivate var recording: any Recording {
        switch store {
        case .growing(let recording): recording
        case .file(let recording): recording
        }
    }

    /// The view has changed.
    mutating func arrived(_ version: UInt64, now: Timestamp) {
        arrivals.append(.init(version: version, when: now))
        arrivals.removeFirst(max(0, arrivals.count - Self.arrivalCountMax))
    }

    /// Records what has changed. Throws if it cannot be written.
    fileprivate mutating func record(_ view: BusView, now: Timestamp) throws {
        guard case .growing(var recording) = store else {
            return
        }
        // Without this, the recording would be copied to be changed.
        store = .growing(MemoryRecording(byteCountMax: 0))
        defer { store = .growing(recording) }
        let after = recorder.after(in: view)
        let piece = recorder.piece(
            of: view.content(after: after), isWhole: after == nil, arrivals: arrivals,
            now: now)
        arrivals = []
        lastPiece = .now
        if try !recording.append(piece) {
            _ = try recording.append(recorder.beginningBlock(piece))
        }
    }
}

// MARK: - Recording

extension Console {
    /// The least time between two differences.
    private static let recordSpacing = Duration.milliseconds(100)
    /// The time after which a difference is recorded though nothing has changed.
    private static let recordTime = Duration.seconds(1)

    /// The time in microseconds after which a moment stays as it is: its effects are known, and recorded.
    private static let settlingMicroseconds =
        PastMoment.effectMicroseconds + UInt64(recordSpacing / .microseconds(1))

    /// The times between two attempts after the recording could not be written.
    private static let retryTimes = Duration.seconds(1)...Duration.seconds(60)

    /// Records until the task is cancelled.
    func record(_ logger: Logger) async {
        var retryTime: Duration?
        while !Task.isCancelled {
            guard isWatched else {
                past.recorder.pause()
                await waitUntilWatched()
                continue
            }
            let isDue = past.lastPiece.map { ContinuousClock.now - $0 >= Self.recordTime } ?? true
            if isDue || past.recorder.after(in: view) != view.version {
                do {
                    try past.record(view, now: .now)
                    if retryTime != nil {
                        logger.notice("the recording goes on")
                    }
                    retryTime = nil
                } catch {
                    past.recorder.pause()
                    // A full disk is told once, however long it remains full.
                    if retryTime == nil {
                        logger.warning(
                            "nothing is recorded: \(error); the console tries again, at least once a minute"
                        )
                    }
                    let wait = retryTime ?? Self.retryTimes.lowerBound
                    retryTime = min(wait * 2, Self.retryTimes.upperBound)
                    await sleep(until: .now + wait)
                    continue
                }
            }
            await sleep(until: .now + Self.recordSpacing)
            if past.recorder.after(in: view) == view.version {
                await waitForChange(atMost: Self.recordTime)
            }
        }
    }

    // MARK: - Frames

    /// Returns a frame of the past: at once if the page does not have it yet, else an empty one after a
    /// second. Throws ``Refusal`` if nothing is recorded.
    func pastFrame(for request: FrameRequest) async throws(Refusal) -> Frame {
        let moment = try await moment(at: request.moment)
        let content = moment.content
        let after = request.after(epoch: content.epoch, version: content.version)
        if after == content.version, !request.isUrgent {
            await sleep(until: .now + .seconds(1))
        }
        return Frame(content, after: after, now: .now)
    }

    private func moment(at milliseconds: Int64?) async throws(Refusal) -> PastMoment {
        // Everything of the millisecond is shown.
        let wanted = Timestamp(
            microseconds: milliseconds.map { min(max($0, 0), 1 << 52) * 1_000 + 999 } ?? .max)
        if let last = past.last, last.wanted == wanted {
            return last.moment
        }
        let begun = Timestamp.now
        let end = past.isRunning ? begun : nil
        if past.isRunning, begun.microseconds(since: wanted) < Self.settlingMicroseconds {
            let left = Self.settlingMicroseconds - begun.microseconds(since: min(wanted, begun))
            await sleep(until: .now + .microseconds(left))
        }
        let result = await Self.restore(past.recording, at: wanted, end: end)
        switch result {
        case .success(let moment?):
            past.last = (wanted, moment)
            return moment
        case .success(nil):
            throw Refusal(404, "notRecorded", "Nothing has been recorded yet.")
        case .failure(let error):
            throw Refusal(500, "unreadable", "The recording cannot be read: \(error)")
        }
    }

    /// Restores a moment beside the pages that look at the bus.
    @concurrent private static func restore(
        _ recording: any Recording, at wanted: Timestamp, end: Timestamp?
    ) async -> Result<PastMoment?, any Error> {
        Result { try recording.moment(at: wanted, end: end) }
    }
}
