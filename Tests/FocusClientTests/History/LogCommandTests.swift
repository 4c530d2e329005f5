import CommandLineKit
import FocusClient
import FocusCore
import FocusText
import Testing

@Suite("focus log")
struct LogCommandTests {
    private let home = TemporaryHome()
    private let laptop: TestContext

    init() {
        BerlinTime.set()
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
}
