import FocusCore
import FocusFormats
import FocusText
import Foundation
import TestSupport
import Testing

/// Files in all known variants of other programs' formats: `Corpus` has files as those programs write them,
/// `Goldens` the entries that are read from them.
@Suite("What other programs write")
struct CorpusTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Corpus")

    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()

    @Test("comes in entry by entry, and what can't be read is named by its line", arguments: names)
    func comesIn(name: String) throws {
        let bytes = Array(try Data(contentsOf: Self.folder.appendingPathComponent(name)))
        let format = try #require(FileFormat(recognising: bytes), "\(name) is recognised")
        guard case .history(let format) = format else { throw FileFormatError(line: 1, "a log") }
        let read = { piece throws(FileFormatError) in
            try FocusFormatsTests.read(bytes, format, zone: clocks(of: "Europe/Vienna"), piece: piece)
        }
        let found = try read(.max)
        for piece in [1, 7] { #expect(try read(piece) == found, "cut into pieces of \(piece)") }
        let lines = found.sorted { $0.line < $1.line }.map { "\($0.line): \(Self.text($0.content))\n" }
        #expect(Golden.difference("\(format.rawValue)\n\(lines.joined())", "\(name).txt") == nil)
    }

    @Test("there is a file of each program")
    func complete() {
        for program in ["toggl", "clockify", "csv", "ics", "timewarrior", "open-pomodoro"] {
            #expect(Self.names.contains { $0.hasPrefix(program) }, "\(program)")
        }
    }

    private static func text(_ content: ParsedItem.Content) -> String {
        switch content {
        case .entry(let entry):
            let times = [entry.interval.from, entry.interval.to].map { InstantText.text($0) }
            return
                "\(times[0]) to \(times[1]), \(entry.activity.rawValue), \(entry.outcome.rawValue), '\(entry.label)'"
                + (entry.source.map { ", \($0)" } ?? "")
        case .omission(let omission): return "left out: \(omission)"
        case .unreadable(let problem): return "can't be read: \(problem)"
        }
    }

    /// Replaces each byte of two lines by bytes with a meaning in the format. The other lines must still be
    /// read.
    @Test(
        "a file that is damaged in one place loses the rows that it is in", arguments: HistoryFormat.allCases)
    func damaged(format: HistoryFormat) throws {
        let hours = (10...14).map {
            HistoryEntry.work("2025-11-20T\($0):00:00Z", "2025-11-20T\($0):25:00Z", "w\($0)")
        }
        let text = Array(written(hours, format).utf8)
        let whole = try FocusFormatsTests.read(text, format)
        let rows = text.indices.filter { index in
            // The text before the first entry and after the last one isn't a row.
            let label = { (label: String) in text[index...].firstRange(of: Array(label.utf8)) }
            return label("w11") == nil && label("w13") != nil
        }
        for index in rows {
            for byte in Array("\"\n,:{]\\".utf8) + [0xFF] {
                var damaged = text
                damaged[index] = byte
                let found = try FocusFormatsTests.read(damaged, format)
                let lost = whole.filter { entry in !found.contains { $0.content == entry.content } }
                #expect(lost.count <= 2, "\(index): \(UnicodeScalar(byte))")
            }
        }
    }
}
