import CommandLineKit
import FocusClient
import FocusCore
import FocusText
import Foundation
import Testing

/// One time zone for all tests, whatever the machine's: that of Berlin, spelt out.
private let zone: Void = {
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
    tzset()
}()

@Suite("focus log")
struct LogCommandTests {
    private let home = TemporaryHome()
    private let laptop: TestContext

    init() {
        _ = zone
        // Thursday, 20 November 2025, 23:30 in Berlin.
        laptop = TestContext(home: home.path, now: 1_763_677_800_000)
    }

    @Test("an empty history says so")
    func empty() {
        #expect(
            laptop.run("log")
                == .init(status: .done, output: "", messages: "focus: The history is empty.\n"))
        #expect(
            laptop.run("log --json").output == "{\"now\":1763677800000,\"days\":[],\"history\":[]}\n")
    }

    @Test("records are listed on the day they began, and focus time counts where it was spent")
    func days() throws {
        _ = laptop.run("start Write")
        laptop.pass(.seconds(25 * 60))
        _ = laptop.run("skip")
        laptop.pass(.seconds(12 * 60))
        _ = laptop.run("pause")
        laptop.pass(.seconds(60))
        _ = laptop.run("resume")
        laptop.pass(.seconds(13 * 60))
        #expect(
            laptop.run("log").output == """
                Thu 20 Nov 2025: 30m of focus time, 2 of 8 work phases
                  23:30-23:55  25m      work         completed  Write
                  23:55-00:21  25m      work         completed  Write

                Fri 21 Nov 2025: 20m of focus time, 0 of 8 work phases

                """)
        let json = try JSON(parsing: laptop.run("log --json").output.utf8)
        #expect(
            json["days"]?.description == """
                [{"date":"2025-11-20","focusMs":1800000,"completed":2},\
                {"date":"2025-11-21","focusMs":1200000,"completed":0}]
                """)
    }

    @Test("a day is as long as the clocks make it")
    func daylightSaving() {
        func hours(_ instant: Int64) -> Int64 { LocalTime(instant).day.span.length / 3_600_000 }
        #expect(hours(1_761_476_400_000) == 25)
        #expect(hours(1_774_780_000_000) == 23)
        #expect(hours(1_763_677_800_000) == 24)
        #expect(LocalTime(1_761_476_400_000).day.iso == "2025-10-26")
        #expect(LocalTime(-1).day.iso == "1970-01-01")
    }
}
