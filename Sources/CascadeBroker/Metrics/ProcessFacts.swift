// SPDX-License-Identifier: Apache-2.0

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
