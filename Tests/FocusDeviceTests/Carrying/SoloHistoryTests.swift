import ClientSupport
import FocusCore
import FocusDevice
import FocusStore
import FocusText
import TestSupport
import Testing

@Suite("The history that a laptop takes along into a group")
struct SoloHistoryTests {
    private let home = TemporaryHome()
    private let laptop: TestContext

    init() { laptop = TestContext(home: home.path, now: 1_763_661_600_000) }

    /// Works for one phase with a pause, takes a break, and works again for a while.
    private func work() {
        _ = laptop.run("start Write")
        laptop.pass(.seconds(10 * 60))
        _ = laptop.run("pause")
        laptop.pass(.seconds(5 * 60))
        _ = laptop.run("resume")
        laptop.pass(.seconds(22 * 60))
    }

    /// Moves the laptop into a group that has a log, and returns the records that it writes there.
    private func join() throws -> [Action.Record] {
        let device = try Device(laptop.machine)
        let before = try SoloHistory.preview(device).history
        let records = try SoloHistory.read(device).records
        #expect(before.records == records)
        _ = try device.startOver(keepingCopyNamed: "alone")
        #expect(try device.store.eventCount() == 0)
        let epoch = StoredEpoch(id: EpochID(rawValue: 0xE), key: [1], predecessor: nil)
        try device.store.enter(GroupID(high: 1, low: 2), epoch)
        try SoloHistory.write(records, device)
        let written = try device.store.allStoredEvents()
        #expect(written.allSatisfy { $0.epoch == epoch.id })
        return written.compactMap {
            guard case .record(let record)? = $0.event?.action else { return nil }
            return record
        }
    }

    /// Returns a field of each entry in the history.
    private func history(_ field: String) throws -> [String] { try laptop.fields(field).map(\.description) }

    @Test("has a record for each interval, and as much focus time and as many completed phases as before")
    func intervals() throws {
        work()
        _ = laptop.run("stop")
        let days = try JSON(parsing: laptop.run("log --json").output.utf8)["days"]
        let records = try join()
        #expect(records.map(\.outcome) == ["stopped", "completed", "completed", "stopped"])
        #expect(records.map(\.activity) == ["work", "work", "shortBreak", "work"])
        #expect(Set(records.map(\.label)) == ["Write"])
        #expect(Set(records.map(\.source)).count == 4)
        #expect(try JSON(parsing: laptop.run("log --json").output.utf8)["days"] == days)
        #expect(try history("endedAt").count == 4)
    }

    @Test(
        "keeps the sources of intervals that a split doesn't cut"
    )
    func splitOnOldCopy() throws {
        // A split in a pause cuts no interval, so both records keep their sources. A split within an interval
        // makes two records of it: the first keeps the source, and the second gets a longer source.
        work()
        _ = laptop.run("stop")
        let device = try Device(laptop.machine)
        let whole = try SoloHistory.preview(device).history.records
        // An instant in the pause, then one in the work after it.
        func records() throws -> [PhaseRecord] {
            let (state, journal) = try device.store.history()
            return History(journal, state, at: try device.now()).records
        }
        for instant in [whole[0].endedAt + 1000, whole[1].startedAt + 60_000] {
            let cut = try #require(try records().last { $0.startedAt < instant && $0.endedAt > instant })
            _ = try device.store.author(now: try device.now()) { authoring in
                try authoring.write(
                    .split(
                        Action.Split(run: cut.run, ordinal: cut.ordinal, instant: instant, label: "Other")))
            }
        }
        let parts = try SoloHistory.read(device).records
        #expect(parts.map(\.source).prefix(2) == whole.map(\.source).prefix(2))
        #expect(parts.map(\.startedAt).prefix(2) == whole.map(\.startedAt).prefix(2))
        #expect(parts[2].source.hasPrefix(whole[1].source + "+"))
        #expect(parts[2].startedAt == whole[1].startedAt + 60_000 && parts[2].endedAt == whole[1].endedAt)
        #expect(parts.dropFirst(3).map(\.source) == whole.dropFirst(2).map(\.source))
        #expect(Set(parts.map(\.source)).count == parts.count)
    }

    @Test("has the phase that ran when the laptop joined, and ends it then")
    func running() throws {
        _ = laptop.run("start Write")
        laptop.pass(.seconds(600))
        let records = try join()
        #expect(records.map(\.outcome) == ["stopped"])
        #expect(records.map { $0.endedAt - $0.startedAt } == [600_000])
        #expect(laptop.run("status").output == "Work  25:00  (stopped)\n")
    }

    @Test("has an interval of more than a day in parts, because a record holds a day at most")
    func longerThanADay() throws {
        _ = laptop.run("set workLength=24h")
        _ = laptop.run("start Watch")
        laptop.pass(.seconds(12 * 3_600))
        _ = laptop.run("add 12h")
        laptop.pass(.seconds(40 * 3_600))
        let records = try join()
        #expect(records.map(\.outcome) == ["stopped", "completed"])
        #expect(records.map { $0.endedAt - $0.startedAt } == [24 * 3_600_000, 12 * 3_600_000])
        #expect(try history("endedAt").count == 2)
    }

    @Test("has imported records under their own sources")
    func imported() throws {
        let device = try Device(laptop.machine)
        let record = Action.Record(
            activity: "work", startedAt: 1000, endedAt: 2000, outcome: "completed", label: "Old",
            source: "x/1")
        _ = try device.store.author(now: 1_763_661_600_000) { try $0.write(.record(record)) }
        #expect(try join() == [record])
    }

    @Test("is brought back to now if the laptop's clock was ahead")
    func ahead() throws {
        _ = laptop.run("start")
        laptop.pass(.seconds(25 * 60))
        _ = laptop.run("stop")
        laptop.pass(.seconds(60))
        let device = try Device(laptop.machine)
        let imported = Action.Record(
            activity: "work", startedAt: 1000, endedAt: 2000, outcome: "completed", label: "", source: "x")
        // The record was written last, and under the wrong clock.
        _ = try device.store.author(now: 1_763_661_600_000 + 26 * 60_000) { try $0.write(.record(imported)) }
        laptop.set { $0.wall -= 7 * 86_400_000 }
        let now = try device.now()
        let records = try join()
        #expect(records.map(\.endedAt) == [2000, now])
        #expect(records.map { $0.endedAt - $0.startedAt } == [1000, 25 * 60_000])
        #expect(try history("startedAt") == ["1000", "\((now - 25 * 60_000).milliseconds)"])
    }

    @Test("is empty if the log is empty")
    func empty() throws {
        #expect(try join() == [])
    }
}
