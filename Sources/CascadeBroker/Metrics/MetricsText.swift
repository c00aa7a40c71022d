// SPDX-License-Identifier: Apache-2.0

/// Writes metrics in Prometheus' text format: families, each with its help and type, and samples.
package struct MetricsText: Sendable {
    package enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    package private(set) var text = ""

    package init() {}

    package mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
    }

    package mutating func sample(
        _ name: String, _ labels: [(String, String)] = [], is value: UInt64
    ) {
        write(name, labels, "\(value)")
    }

    package mutating func sample(
        _ name: String, _ labels: [(String, String)] = [], seconds microseconds: UInt64
    ) {
        write(name, labels, Self.seconds(microseconds))
    }

    package mutating func sample(
        _ name: String, _ labels: [(String, String)] = [], ratio part: UInt64, of whole: UInt64
    ) {
        write(name, labels, whole == 0 ? "0" : "\(Double(part) / Double(whole))")
    }

    private mutating func write(
        _ name: String, _ labels: [(String, String)], _ value: String
    ) {
        text += name
        if !labels.isEmpty {
            let list = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
            text += "{\(list)}"
        }
        text += " \(value)\n"
    }

    /// A family of one sample.
    package mutating func gauge(_ name: String, _ help: String, _ value: UInt64) {
        family(name, .gauge, help)
        sample(name, is: value)
    }

    package mutating func counter(_ name: String, _ help: String, _ value: UInt64) {
        family(name, .counter, help)
        sample(name, is: value)
    }

    package mutating func histogram(_ name: String, _ help: String, _ times: EventTimes) {
        family(name, .histogram, help)
        var total: UInt64 = 0
        for (bucket, count) in times.counts.enumerated() {
            total += count
            let bound = EventTimes.microseconds(of: bucket).map(Self.seconds) ?? "+Inf"
            sample("\(name)_bucket", [("le", bound)], is: total)
        }
        sample("\(name)_sum", seconds: times.nanoseconds / 1_000)
        sample("\(name)_count", is: total)
    }

    /// Exact, which a floating-point number need not be.
    private static func seconds(_ microseconds: UInt64) -> String {
        let digits = String(microseconds % 1_000_000)
        let padding = String(repeating: "0", count: 6 - digits.count)
        var fraction = Substring(padding + digits)
        while fraction.last == "0" {
            fraction.removeLast()
        }
        let whole = "\(microseconds / 1_000_000)"
        return fraction.isEmpty ? whole : "\(whole).\(fraction)"
    }

    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
    }
}

/// Resources that the daemon's process uses, as last reported by the broker's driver.
package struct ProcessFacts: Equatable, Sendable {
    package var processorMicroseconds: UInt64
    package var residentBytes: UInt64
    package var virtualBytes: UInt64
    package var openFiles: UInt64
    package var openFilesMax: UInt64
    /// Since the beginning of 1970.
    package var startMicroseconds: UInt64

    package init(
        processorMicroseconds: UInt64 = 0, residentBytes: UInt64 = 0, virtualBytes: UInt64 = 0,
        openFiles: UInt64 = 0, openFilesMax: UInt64 = 0, startMicroseconds: UInt64 = 0
    ) {
        self.processorMicroseconds = processorMicroseconds
        self.residentBytes = residentBytes
        self.virtualBytes = virtualBytes
        self.openFiles = openFiles
        self.openFilesMax = openFilesMax
        self.startMicroseconds = startMicroseconds
    }

    func write(to metrics: inout MetricsText) {
        metrics.family(
            "process_cpu_seconds_total", .counter, "User and system time of the daemon's process.")
        metrics.sample("process_cpu_seconds_total", seconds: processorMicroseconds)
        metrics.gauge("process_resident_memory_bytes", "Resident memory.", residentBytes)
        metrics.gauge("process_virtual_memory_bytes", "Virtual memory.", virtualBytes)
        metrics.gauge("process_open_fds", "Open file descriptors.", openFiles)
        metrics.gauge("process_max_fds", "File descriptors that may be open.", openFilesMax)
        metrics.family(
            "process_start_time_seconds", .gauge,
            "When the process began, in seconds since the beginning of 1970.")
        metrics.sample("process_start_time_seconds", seconds: startMicroseconds)
    }
}
