// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The user's browser.
enum Browser {
    /// The time for which the file that opens the link is kept, in seconds.
    private static let keptSeconds: UInt32 = 60

    /// Opens a link. The arguments of a process can be read by all users of the machine, so the browser is
    /// given a file that only its user can read, which leads it to the link.
    static func open(_ link: String) {
        let directory = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(directory)/cascade-console-XXXXXX.html".utf8CString)
        let descriptor = mkstemps(&template, 5)
        guard descriptor >= 0, let file = fdopen(descriptor, "w") else {
            Diagnostic.print("cannot open a browser: \(String(cString: strerror(errno)))")
            return
        }
        fputs(
            """
            <!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
            <meta http-equiv="refresh" content="0; url=\(link)"><title>Cascade</title>

            """, file)
        fclose(file)
        let path = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        start("xdg-open", path)
        Task {
            try? await Task.sleep(for: .seconds(keptSeconds))
            unlink(path)
        }
    }

    private static func start(_ program: String, _ argument: String) {
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(argument), nil]
        defer {
            for argument in arguments {
                free(argument)
            }
        }
        var child: pid_t = 0
        let status = posix_spawnp(&child, program, nil, nil, &arguments, environ)
        if status != 0 {
            Diagnostic.print("cannot start \(program): \(String(cString: strerror(status)))")
        }
    }
}
