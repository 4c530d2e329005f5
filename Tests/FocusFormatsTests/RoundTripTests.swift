import FocusCore
import FocusFormats
import FocusText
import TestSupport
import Testing

@Suite("What is written in a format is read as it was")
struct RoundTripTests {
    static let zones = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]

    @Test(
        "random histories come back as what the format has room for, in pieces of any length",
        arguments: HistoryFormat.allCases, zones)
    func roundTrip(format: HistoryFormat, place: String) throws {
        let zone = clocks(of: place)
        for seed in 0..<UInt64(12) {
            var history = RandomHistory(seed: seed)
            let written = history.entries(40)
            let text = FocusFormatsTests.written(written, format, zone: zone)
            let kept = written.compactMap { format.roundTripped($0, zone: zone) }
            for piece in [Int.max, 1, 7, 64] {
                #expect(try entries(text, format, zone: zone, piece: piece) == kept, "seed \(seed), \(piece)")
            }
        }
    }

    @Test("an empty history is a file without entries", arguments: HistoryFormat.allCases)
    func empty(format: HistoryFormat) throws {
        #expect(try read(written([], format), format) == [])
        #expect(try read("", format) == [])
        #expect(try read(" \r\n\n", format) == [])
    }

    @Test(
        "a file is recognised by how it begins, and a byte order mark is passed over",
        arguments: HistoryFormat.allCases, [1, 2, 3, 100])
    func byteOrderMark(format: HistoryFormat, piece: Int) throws {
        let history = [HistoryEntry.work("2025-11-20T18:00:00Z", "2025-11-20T18:25:00Z", "Write")]
        let text = written(history, format)
        let bytes = [0xEF, 0xBB, 0xBF] + Array(text.utf8)
        #expect(try read(bytes, format, piece: piece) == read(text, format))
        for bytes in [bytes, Array(text.utf8)] {
            #expect(FileFormat(recognising: bytes) == .history(format))
        }
    }

    @Test("bytes that are no UTF-8 are named by their line", arguments: HistoryFormat.allCases)
    func notUTF8(format: HistoryFormat) throws {
        let history = [HistoryEntry.work("2025-11-20T18:00:00Z", "2025-11-20T18:25:00Z", "WriteX")]
        let bytes = Array(written(history, format).utf8).map { $0 == UInt8(ascii: "X") ? 0xFF : $0 }
        // The calendar's own properties contain an X as well.
        let problems = try read(bytes, format).filter { found in
            if case .unreadable(let problem) = found.content { problem.contains("UTF-8") } else { false }
        }
        #expect(problems.count == 1)
    }

    @Test("a line without an end is left out before it fills the memory", arguments: HistoryFormat.allCases)
    func endless(format: HistoryFormat) throws {
        let history = [HistoryEntry.work("2025-11-20T18:00:00Z", "2025-11-20T18:25:00Z", "Write")]
        let long = String(repeating: "W", count: 3 << 20)
        let text = written(history, format).replacing("Write", with: long)
        let found = try read(Array(text.utf8), format, piece: 65536)
        #expect(try read(text, format) == found)
        switch found.first?.content {
        case .unreadable(let problem): #expect(problem.contains("is longer than "))
        // A calendar's label is read only up to its longest length, so the long line does no harm there.
        case .entry(let entry): #expect(format == .ics && entry.label == String(repeating: "W", count: 200))
        default: Issue.record("nothing is said of it")
        }
    }

    @Test("the same entry has the same source, and another has another")
    func sources() throws {
        let one = HistoryEntry.work("2025-11-20T18:00:00Z", "2025-11-20T18:25:00Z", "Write")
        var other = one
        other.label = "Read"
        #expect(
            HistoryFormat.toggl.source(for: one)
                == "toggl/1763661600000-1763663100000/\(hexadecimal(fingerprint("work", "Write")))")
        #expect(HistoryFormat.toggl.source(for: one) != HistoryFormat.toggl.source(for: other))
        #expect(HistoryFormat.toggl.source(for: one) != HistoryFormat.csv.source(for: one))
    }

    private func fingerprint(_ texts: String...) -> UInt64 {
        var fingerprint = Fingerprint()
        for text in texts { fingerprint.add(text) }
        return fingerprint.value
    }
}
