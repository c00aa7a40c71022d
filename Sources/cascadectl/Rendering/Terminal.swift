// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// The terminal of standard output.
enum Terminal {
    struct Size {
        let columns: Int
        let rows: Int
    }

    /// The size; `nil` if standard output is not a terminal or the size is unknown.
    ///
    /// Source: ioctl_tty(2).
    static var size: Size? {
        var size = winsize()
        guard isatty(STDOUT_FILENO) == 1,
            ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else {
            return nil
        }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    private static let home = "\u{1B}[H"
    private static let clearLine = "\u{1B}[K"
    private static let clearBelow = "\u{1B}[J"

    /// Returns the bytes that replace the screen by `text`, cut to the size of the terminal.
    static func screen(_ text: String, _ size: Size) -> String {
        let lines = ScreenText.lines(of: text, columns: size.columns, rows: size.rows)
        return home + lines.map { $0 + clearLine + "\n" }.joined() + clearBelow
    }
}

/// Text cut to the size of a terminal.
package enum ScreenText {
    /// Returns the first lines of a text, each cut to `columns`. One row stays free for the cursor;
    /// a line in place of those that are left out states their number.
    package static func lines(of text: String, columns: Int, rows: Int) -> [String] {
        let all = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let shown = max(1, rows - 1)
        guard all.count > shown else {
            return all.map { cut($0, to: columns) }
        }
        let omitted = all.count - shown + 1
        return all.prefix(shown - 1).map { cut($0, to: columns) }
            + ["… \(omitted) more lines do not fit the terminal"].map { cut($0, to: columns) }
    }

    /// Returns the beginning of a line that fits `columns`. Escape sequences for colours take no
    /// columns and are kept.
    package static func cut(_ line: String, to columns: Int) -> String {
        var result = ""
        var width = 0
        var isInEscape = false
        for character in line {
            if isInEscape || character == "\u{1B}" {
                isInEscape = !isInEscape || character != "m"
                result.append(character)
                continue
            }
            let next = character.columnCount
            if width + next <= columns {
                result.append(character)
            }
            width += next
        }
        return result
    }
}

// MARK: - Keys

/// The key `q`, which ends a command that redraws the terminal, as SIGINT does.
enum QuitKey {
    /// The modes of the terminal before the command changed them.
    private nonisolated(unsafe) static var modes = termios()

    /// Begins to read keys. Does nothing if standard input is not a terminal, or if the command runs
    /// in the background. A command calls it once.
    static func watch() throws {
        guard isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp(),
            tcgetattr(STDIN_FILENO, &modes) == 0
        else {
            return
        }
        // The modes are restored however the process ends.
        atexit { QuitKey.restore() }
        signal(SIGINT) { _ in
            QuitKey.restore()
            _exit(ExitStatus.interrupted.rawValue)
        }
        signal(SIGTERM) { number in
            QuitKey.restore()
            signal(number, SIG_DFL)
            raise(number)
        }
        var changed = modes
        changed.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &changed)
        try OwnThread.detached {
            var key: UInt8 = 0
            while read(STDIN_FILENO, &key, 1) == 1 {
                if key == UInt8(ascii: "q") || key == UInt8(ascii: "Q") {
                    exit(ExitStatus.done.rawValue)
                }
            }
        }
    }

    private static func restore() {
        tcsetattr(STDIN_FILENO, TCSANOW, &modes)
    }
}
