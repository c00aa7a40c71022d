// SPDX-License-Identifier: Apache-2.0

import Cascade
import Foundation
import PrintShopEvents
import Testing

/// A print shop of a test's own, in a temporary directory: a daemon, the floor, a photo printer
/// above a laser printer, and a spool below both.
actor PrintShop {
    let directory: String
    private let bus: String
    private let hasRules: Bool
    private var programs: [String: ShopProgram] = [:]

    /// Opens a shop, runs a test and closes the shop: every running process must then end by
    /// itself, without an error.
    ///
    /// - Parameter rules: whether the shop uses its rule file.
    static func open(
        rules: Bool = false, _ test: (PrintShop) async throws -> Void
    ) async throws {
        let shop = try await PrintShop(rules: rules)
        do {
            try await test(shop)
        } catch {
            await shop.abandon()
            throw error
        }
        await shop.end()
    }

    private init(rules: Bool) async throws {
        hasRules = rules
        let place = FileManager.default.temporaryDirectory
        directory = place.appending(path: "shop-\(UUID().uuidString.prefix(8))").path
        bus = "ipc://\(directory)/bus.sock"
        for name in ["out", "spool/done", "spool/rejected"] {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
        }
        try await startDaemon()
        try await start("floor", "print-shop-floor", ["--out", "out"])
        try await start(
            "photo", "print-shop-printer",
            ["photo", "--takes", "png", "jpeg", "pdf", "--limit", "33554432", "--out", "out"])
        try await startLaser()
        try await startSpool()
    }

    // MARK: - Processes

    func start(
        _ name: String, _ program: String, _ arguments: [String], says words: String = "attached"
    ) async throws {
        let program = try ShopProgram(program, arguments, in: directory, bus: bus)
        programs[name] = program
        try #require(await program.says(words), "\(name) did not come up")
    }

    func startDaemon() async throws {
        try await start("daemon", "cascaded", ["--listen", bus] + rules, says: "serving")
    }

    private var rules: [String] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let file = tests.appending(path: "../../../Sources/Examples/PrintShop/print-shop.rules")
        return hasRules ? ["--rules", file.standardized.path] : []
    }

    /// Runs `cascadectl`. Returns its exit code.
    @discardableResult
    func control(_ arguments: String...) async throws -> Int32? {
        try await ShopProgram("cascadectl", arguments, in: directory, bus: bus).exitCode()
    }

    /// The output of `cascadectl`.
    func answer(_ arguments: String...) async throws -> String {
        let program = try ShopProgram(
            "cascadectl", arguments, in: directory, bus: bus, output: "answer.txt")
        try #require(await program.exitCode() == 0)
        return try lines(of: "answer.txt").joined(separator: "\n")
    }

    /// Closes the shop, so that dropped files wait for ``open(_:)``.
    func close() async throws {
        try await set("isOpen=false")
        try await arrival(of: [".closed"], in: "spool")
    }

    /// Opens the shop and sets values in one transaction, which apply to the waiting files.
    func open(_ values: String...) async throws {
        try await set(values + ["isOpen=true"])
    }

    /// Sets values for the whole shop. They apply to later visits; the spool,
    /// which watches files and not the bus, may take a file before it has the values.
    func set(_ values: String...) async throws {
        try await set(values)
    }

    private func set(_ values: [String]) async throws {
        let program = try ShopProgram(
            "cascadectl", ["env", "set"] + values + ["--at", "/shop"], in: directory, bus: bus)
        try #require(await program.exitCode() == 0)
    }

    func startLaser() async throws {
        try await start(
            "laser", "print-shop-printer",
            ["laser", "--takes", "text", "pdf", "--below", "/shop/photo", "--out", "out"])
    }

    func startSpool() async throws {
        try await start("spool", "print-shop-spool", ["spool", "--below", "/shop/photo/laser"])
    }

    func startDisplay(_ name: String) async throws {
        try await start(name, "print-shop-display", [name, "--screen", "out/\(name).txt"])
    }

    func signal(_ name: String, _ number: Int32) throws {
        try #require(programs[name]).signal(number)
    }

    /// Waits until a process ends. Returns its exit code, or the signal that ended it.
    func end(of name: String) async throws -> Int32? {
        await (try #require(programs.removeValue(forKey: name))).exitCode()
    }

    private func end() async {
        let daemon = programs.removeValue(forKey: "daemon")
        for program in programs.values {
            program.signal(SIGTERM)
        }
        for (name, program) in programs {
            #expect(await program.exitCode() == 0, "\(name) did not end well")
        }
        daemon?.signal(SIGTERM)
        #expect(await daemon?.exitCode() == 0, "the daemon exited with an error")
        remove()
    }

    private func abandon() {
        for program in programs.values {
            program.signal(SIGKILL)
        }
        remove()
    }

    private func remove() {
        // A directory that cannot be removed is left to the system.
        try? FileManager.default.removeItem(atPath: directory)
    }

    // MARK: - Files

    /// Drops a file into the spool, complete.
    nonisolated func drop(_ name: String, _ bytes: some Sequence<UInt8>) throws {
        let file = "\(directory)/\(name)"
        try Data(bytes).write(to: URL(filePath: file))
        try FileManager.default.moveItem(atPath: file, toPath: "\(directory)/spool/\(name)")
    }

    /// Waits until all of the files are in a folder of the shop.
    func arrival(of names: [String], in folder: String) async throws {
        try await change(in: folder) {
            Set(names).isSubset(of: try FileManager.default.contentsOfDirectory(atPath: $0))
        }
    }

    /// Waits until a ledger in the folder `out` has a line.
    func line(_ line: String, in ledger: String) async throws {
        try await change(in: "out") { _ in try lines(of: "out/\(ledger)").contains(line) }
    }

    /// Waits for files to be written or moved until a condition holds.
    private func change(
        in folder: String, until isReached: (String) throws -> Bool
    ) async throws {
        let path = "\(directory)/\(folder)"
        let watch = try DirectoryWatch(path)
        var arrivals = watch.arrivals.makeAsyncIterator()
        while try !isReached(path) {
            try #require(await arrivals.next() != nil, "nothing more happens in \(folder)")
        }
    }

    /// The lines of a file; none if there is no such file.
    nonisolated func lines(of file: String) throws -> [String] {
        guard let data = FileManager.default.contents(atPath: "\(directory)/\(file)") else {
            return []
        }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
