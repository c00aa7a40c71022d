// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import cascade_site

@Suite struct FileChangesTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func text(_ name: String) throws -> String? {
        try SetupFolder.text(of: "\(directory.path)/\(name)")
    }

    private func mode(_ name: String) -> mode_t {
        var status = stat()
        stat("\(directory.path)/\(name)", &status)
        return status.st_mode & 0o777
    }

    private var names: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
        return names?.sorted() ?? []
    }

    @Test func `files are written with their modes, replaced and removed`() throws {
        try directory.write("old", "old\n".utf8)
        try directory.write("gone", "gone\n".utf8)
        var changes = FileChanges()
        changes.write("\(directory.path)/old", "new\n")
        changes.writeSecret("\(directory.path)/secret", "key\n", owner: "no-such-user")
        changes.write("\(directory.path)/folder/file", "file\n")
        changes.remove("\(directory.path)/gone")
        changes.remove("\(directory.path)/never-there")
        try changes.apply()
        #expect(try text("old") == "new\n")
        #expect(try text("secret") == "key\n")
        #expect(try text("folder/file") == "file\n")
        #expect(try text("gone") == nil)
        #expect((mode("old"), mode("secret")) == (0o644, 0o600))
        #expect(names == ["folder", "old", "secret"])
    }

    @Test func `a file keeps its mode, and a symbolic link the file that it names`() throws {
        let path = directory.path
        mkdir("\(path)/real", 0o755)
        try directory.write("real/site.yaml", "old\n".utf8)
        chmod("\(path)/real/site.yaml", 0o640)
        symlink("real/site.yaml", "\(path)/site.yaml")
        var changes = FileChanges()
        changes.write("\(path)/site.yaml", "new\n")
        try changes.apply()
        #expect(try text("real/site.yaml") == "new\n")
        #expect(mode("real/site.yaml") == 0o640)
        var status = stat()
        #expect(lstat("\(path)/site.yaml", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(names == ["real", "site.yaml"])
    }

    @Test func `all files stay as they were if one cannot be written`() throws {
        try directory.write("first", "1\n".utf8)
        try directory.write("gone", "2\n".utf8)
        // A folder stands where the last file is to be, so the rename fails after the others.
        mkdir("\(directory.path)/blocked", 0o755)
        try directory.write("blocked/file", "3\n".utf8)
        var changes = FileChanges()
        changes.write("\(directory.path)/first", "changed\n")
        changes.remove("\(directory.path)/gone")
        changes.write("\(directory.path)/new", "new\n")
        changes.write("\(directory.path)/blocked", "changed\n")
        #expect(throws: Stop.self) { try changes.apply() }
        #expect(try text("first") == "1\n")
        #expect(try text("gone") == "2\n")
        #expect(try text("blocked/file") == "3\n")
        #expect(names == ["blocked", "first", "gone"])
    }

    @Test func `an error names the file`() throws {
        var changes = FileChanges()
        changes.write("\(directory.path)/no/such/folder/file", "")
        let stop = #expect(throws: Stop.self) { try changes.apply() }
        #expect(
            stop?.description.hasPrefix(
                "cannot create the folder '\(directory.path)/no/such/folder'") == true)
    }
}
