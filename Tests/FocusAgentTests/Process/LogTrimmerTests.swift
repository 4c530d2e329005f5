import ClientSupport
import FocusAgent
import Foundation
import Glibc
import Testing

@Suite("The agent's log grows to a bound")
struct LogTrimmerTests {
    private let home = TemporaryHome()
    private let log: String

    init() throws {
        try FileManager.default.createDirectory(atPath: home.path, withIntermediateDirectories: true)
        log = "\(home.path)/agent.log"
    }

    private func write(_ lines: Range<Int>) throws {
        let text = lines.map { "line \($0)\n" }.joined()
        try Data(text.utf8).write(to: URL(fileURLWithPath: log))
    }

    private var text: String { get throws { try String(contentsOfFile: log, encoding: .utf8) } }

    @Test("a short or missing log isn't trimmed")
    func short() throws {
        #expect(!LogTrimmer(path: log, longest: 100).trim())
        try write(0..<10)
        #expect(!LogTrimmer(path: log, longest: 100).trim())
        #expect(try text.hasPrefix("line 0\n"))
    }

    @Test("of a longer log the last half stays, from a line's beginning, private to its user")
    func long() throws {
        try write(0..<1000)
        // A crash left half of a draft.
        try Data("half of it".utf8).write(to: URL(fileURLWithPath: "\(log).new"))
        #expect(LogTrimmer(path: log, longest: 1000).trim())
        let text = try text
        #expect((400...500).contains(text.utf8.count))
        #expect(text.hasPrefix("line "))
        #expect(text.hasSuffix("line 998\nline 999\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == ["agent.log"])
        let attributes = try FileManager.default.attributesOfItem(atPath: log)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("output to the log goes on at the end of the trimmed log")
    func output() throws {
        try write(0..<1000)
        let output = open(log, O_WRONLY | O_APPEND | O_CLOEXEC)
        defer { close(output) }
        #expect(LogTrimmer(path: log, longest: 1000).trim(output))
        #expect(Glibc.write(output, "more\n", 5) == 5)
        #expect(try text.hasSuffix("line 999\nmore\n"))
    }

    @Test("another process that appends to its log goes on at the end of the trimmed log")
    func inPlace() throws {
        try write(0..<1000)
        let output = open(log, O_WRONLY | O_APPEND | O_CLOEXEC)
        defer { close(output) }
        LogTrimmer(path: log, longest: 1000).trimInPlace()
        #expect((400...500).contains(try text.utf8.count))
        #expect(Glibc.write(output, "more\n", 5) == 5)
        let text = try text
        #expect(text.hasPrefix("line "))
        #expect(text.hasSuffix("line 999\nmore\n"))
        LogTrimmer(path: log, longest: 1000).trimInPlace()
        #expect(try self.text == text)
    }

    @Test("output to another file isn't redirected")
    func elsewhere() throws {
        try write(0..<1000)
        let other = "\(home.path)/other"
        let output = open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(output) }
        #expect(LogTrimmer(path: log, longest: 1000).trim(output))
        #expect(Glibc.write(output, "more\n", 5) == 5)
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "more\n")
    }

    @Test("a link's target stays unchanged, for the log and for its draft")
    func links() throws {
        try write(0..<1000)
        let link = "\(home.path)/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: log)
        #expect(!LogTrimmer(path: link, longest: 1000).trim())
        #expect(try text.hasPrefix("line 0\n"))
        let other = "\(home.path)/other"
        try Data("another's".utf8).write(to: URL(fileURLWithPath: other))
        try FileManager.default.createSymbolicLink(atPath: "\(log).new", withDestinationPath: other)
        #expect(LogTrimmer(path: log, longest: 1000).trim())
        #expect(try text.hasSuffix("line 999\n"))
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "another's")
    }

    @Test("one long line is cut")
    func oneLine() throws {
        try Data(String(repeating: "x", count: 5000).utf8).write(to: URL(fileURLWithPath: log))
        #expect(LogTrimmer(path: log, longest: 1000).trim())
        #expect(try text.utf8.count == 500)
    }
}
