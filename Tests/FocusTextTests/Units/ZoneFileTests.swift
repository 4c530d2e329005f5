import FocusCore
import FocusText
import Testing

@Suite("The system's file of a time zone")
struct ZoneFileTests {
    /// Returns a version 2 file in the layout of RFC 9636.
    private func file(
        _ changes: [(Int64, UInt8)] = [], _ types: [(Int32, UInt8)] = [(3600, 0), (7200, 4)],
        names: String = "CET\0CEST\0", rule: String = "", version: Character = "2", leaps: UInt32 = 0
    ) -> [UInt8] {
        func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
            withUnsafeBytes(of: value.bigEndian) { Array($0) }
        }
        func header(_ changes: Int, _ types: Int, _ characters: Int, _ leaps: UInt32) -> [UInt8] {
            Array("TZif".utf8) + [version.asciiValue ?? 0] + [UInt8](repeating: 0, count: 15)
                + bytes(UInt32(0))
                + bytes(UInt32(0)) + bytes(leaps) + bytes(UInt32(changes)) + bytes(UInt32(types))
                + bytes(UInt32(characters))
        }
        // The version 1 data has one type and no change.
        var file = header(0, 1, 1, 0) + [UInt8](repeating: 0, count: 7)
        file += header(changes.count, types.count, names.utf8.count, leaps)
        for change in changes { file += bytes(change.0) }
        file += changes.map(\.1)
        for type in types { file += bytes(type.0) + [0, type.1] }
        return file + Array(names.utf8) + Array("\n\(rule)\n".utf8)
    }

    private func shown(_ zone: ZoneFile, _ second: Int64) -> String {
        let stretch = zone.stretch(at: SharedInstant(seconds: second))
        return "\(stretch.abbreviation) \(stretch.offset.inSeconds)"
    }

    @Test("the first kind holds before the first change, and each change holds from its second on")
    func changes() throws {
        let zone = try #require(ZoneFile(file([(100, 1), (200, 0)])))
        #expect(
            [Int64.min, 99, 100, 199, 200, .max].map { shown(zone, $0) } == [
                "CET 3600", "CET 3600", "CEST 7200", "CEST 7200", "CET 3600", "CET 3600",
            ])
    }

    @Test(
        "after the last change the rule holds",
        arguments: [
            // 2026-03-29 and 2026-10-25, at 01:00 UTC.
            ("CET-1CEST,M3.5.0,M10.5.0/3", 1_774_746_000, 1_792_890_000, "CET 3600", "CEST 7200"),
            // 2026-03-08 at 07:00 UTC and 2026-11-01 at 06:00 UTC.
            ("EST5EDT,M3.2.0,M11.1.0", 1_772_953_200, 1_793_512_800, "EST -18000", "EDT -14400"),
            // 2026-03-29 and 2026-10-25, at 01:00 UTC. Here winter time is the exception to standard time.
            ("IST-1GMT0,M10.5.0,M3.5.0/1", 1_774_746_000, 1_792_890_000, "GMT 0", "IST 3600"),
            // Day 60 of 2026 is March 1, whether counted from 0 or as a Julian day.
            ("<+03>-3<+04>,J60/0,J305/0", 1_772_312_400, 1_793_476_800, "+03 10800", "+04 14400"),
            ("<+03>-3<+04>,59/0,304/0", 1_772_312_400, 1_793_476_800, "+03 10800", "+04 14400"),
            // 2028-03-01 at 00:00 UTC and 2028-10-27 at 01:00 UTC. Julian days leave out February 29.
            ("UTC0XXX,J60/0,J300", 1_835_481_600, 1_856_221_200, "UTC 0", "XXX 3600"),
            ("UTC0XXX,60/0,300", 1_835_481_600, 1_856_221_200, "UTC 0", "XXX 3600"),
            // 2026-10-03 and 2026-04-04, at 16:00 UTC: summer lies over the year's end.
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_791_043_200, 1_775_318_400, "AEST 36000", "AEDT 39600"),
        ] as [(String, Int64, Int64, String, String)])
    func rule(text: String, begin: Int64, end: Int64, winter: String, summer: String) throws {
        let zone = try #require(ZoneFile(file([(100, 1)], rule: text)))
        #expect(shown(zone, 99) == "CET 3600")
        #expect(
            [begin - 1, begin, end - 1, end].map { shown(zone, $0) } == [winter, summer, summer, winter])
    }

    @Test("a zone whose clocks never change needs no change")
    func fixed() throws {
        #expect(shown(try #require(ZoneFile(file(rule: "<+0530>-5:30"))), 0) == "+0530 19800")
        #expect(shown(try #require(ZoneFile(file([], [(0, 0)], names: "UTC\0"))), 0) == "UTC 0")
    }

    @Test("what is cut anywhere is none")
    func cut() {
        let whole = file([(100, 1)], rule: "CET-1CEST,M3.5.0,M10.5.0/3")
        #expect(ZoneFile(whole) != nil)
        for length in 0..<whole.count { #expect(ZoneFile(Array(whole[..<length])) == nil, "\(length)") }
    }

    @Test("what can't be is none")
    func malformed() {
        #expect(ZoneFile(file(version: "\0")) == nil, "a version that ends in 2037")
        #expect(ZoneFile(file([(200, 1), (100, 0)])) == nil, "changes out of order")
        #expect(ZoneFile(file([(100, 2)])) == nil, "a kind that isn't there")
        #expect(ZoneFile(file([], [(0, 200)])) == nil, "a name that isn't there")
        #expect(ZoneFile(file([], [(Int32.min, 0)])) == nil, "clocks that are days apart")
        #expect(ZoneFile(file([], [], names: "")) == nil, "no kind")
        #expect(ZoneFile(file(leaps: 1)) == nil, "leap seconds")
        for rule in [
            "CET", "C-1", "CET-1CEST", "CET-1CEST,M13.1.0,M1.1.0", "CET-1CEST,M3.6.0,M1.1.0", "CET-25",
            "<CET-1",
            "CET-1CEST,J0,J9", "CET-1CEST,M3.5.0,M10.5.0/168", "CET-1CEST,M3.5.0,M10.5.0x",
            "CET-1CEST,M3.5.0",
        ] {
            #expect(ZoneFile(file(rule: rule)) == nil, "\(rule)")
        }
    }
}
