import FocusCore
import Simulation
import TestSupport
import TestTraits
import Testing

/// Days as people live them, with the programs' own code. The history has to match what happened.
@Suite("A week", .ends(within: .seconds(600)))
struct WeekTests {
    /// A story with times of day. Day 0 begins at midnight.
    private struct Diary {
        var story: Story

        init(laptops: Int) { story = Story(laptops: laptops) }

        /// Advances to a time of the day, in hours and minutes.
        mutating func at(_ day: Int, _ hour: Int, _ minute: Int) {
            let seconds = Double(day * 86_400 + hour * 3_600 + minute * 60)
            story.wait(seconds - Double(story.time) / 1_000_000)
        }

        mutating func press(_ laptop: Int, _ press: Step.Press) { story.add(.presses(laptop: laptop, press)) }

        /// Closes the lid until a time of the same day or a later one.
        mutating func close(_ laptop: Int, until day: Int, _ hour: Int, _ minute: Int) {
            let end = Int64(day * 86_400 + hour * 3_600 + minute * 60) * 1_000_000
            story.add(.suspend(laptop: laptop, for: end - story.time))
        }

        /// Cuts the network off until a time of the same day.
        mutating func offline(_ laptop: Int, until day: Int, _ hour: Int, _ minute: Int) {
            let end = Int64(day * 86_400 + hour * 3_600 + minute * 60) * 1_000_000
            story.add(.cut(laptop: laptop, up: false, down: false, for: end - story.time))
        }
    }

    /// The minutes of work under each label. Time in overlapping records counts once.
    private func minutes(_ shown: NaiveState) -> [String: Int64] {
        var minutes: [String: Int64] = [:]
        for (label, records) in Dictionary(
            grouping: shown.history.filter { $0.activity == "work" }, by: \.label)
        {
            var total: Duration = 0
            var end: SharedInstant = 0
            for interval in records.flatMap(\.intervals).sorted(by: { $0.from < $1.from }) {
                total += max(0, interval.to - max(interval.from, end))
                end = max(end, interval.to)
            }
            minutes[label] = (total + 30_000).inSeconds / 60
        }
        return minutes
    }

    private func completed(_ shown: NaiveState, _ label: String) -> Int {
        shown.history.count { $0.label == label && $0.activity == "work" && $0.outcome == "completed" }
    }

    @Test("of one person with three laptops: the history has what the person did, and nothing else")
    func onePerson() throws {
        var diary = Diary(laptops: 3)
        // The spare laptop lies in a drawer. The one at home is closed until the evening.
        diary.close(2, until: 3, 9, 0)
        diary.close(1, until: 1, 19, 0)
        // Monday: 50 minutes of mail with a break. Later the lid is closed over lunch, without a pause.
        diary.at(0, 9, 0)
        diary.press(0, .start("mail"))
        diary.at(0, 9, 57)
        diary.press(0, .stop)
        diary.at(0, 11, 0)
        diary.press(0, .start("report"))
        diary.at(0, 11, 20)
        diary.close(0, until: 0, 13, 0)
        diary.at(0, 13, 1)
        diary.press(0, .stop)
        // On the train, without a network.
        diary.at(0, 14, 0)
        diary.offline(0, until: 0, 16, 0)
        diary.at(0, 14, 5)
        diary.press(0, .start("train"))
        diary.at(0, 15, 0)
        diary.press(0, .stop)
        // The person goes home while the session runs, and closes the lid.
        diary.at(0, 17, 0)
        diary.press(0, .start("late"))
        diary.at(0, 17, 20)
        diary.close(0, until: 1, 9, 0)
        // Tuesday: a session that stays paused, and another one at home. After that the lid is closed at
        // once. Yesterday's session is still there, paused from the time when the lid was closed.
        diary.at(1, 9, 5)
        diary.press(0, .stop)
        diary.press(0, .start("desk"))
        diary.at(1, 9, 30)
        diary.press(0, .pause)
        diary.at(1, 19, 5)
        diary.press(1, .start("novel"))
        diary.at(1, 19, 25)
        diary.press(1, .stop)
        diary.close(1, until: 2, 19, 0)
        diary.at(1, 20, 0)
        diary.close(0, until: 2, 9, 0)
        // Wednesday: a session with a long pause, with the lid closed meanwhile. The stop of the evening
        // before is still only on the laptop at home.
        diary.at(2, 9, 5)
        diary.press(0, .stop)
        diary.press(0, .start("thesis"))
        diary.at(2, 9, 15)
        diary.press(0, .pause)
        diary.close(0, until: 2, 10, 0)
        diary.at(2, 11, 1)
        diary.press(0, .resume)
        diary.at(2, 11, 17)
        diary.press(0, .stop)
        diary.at(2, 20, 0)
        diary.close(1, until: 6, 9, 55)
        // Thursday: a forgotten start at the desk, and a session on the spare laptop in the library. The
        // spare laptop doesn't know of the first one.
        diary.at(3, 8, 58)
        diary.offline(2, until: 3, 14, 10)
        diary.at(3, 11, 30)
        diary.press(0, .start("morning"))
        diary.at(3, 13, 0)
        diary.press(2, .start("library"))
        diary.at(3, 14, 27)
        diary.press(2, .stop)
        // Friday: sessions on two laptops at the same time. Neither laptop knows of the other session.
        diary.at(4, 9, 0)
        diary.offline(0, until: 4, 11, 0)
        diary.offline(2, until: 4, 11, 30)
        diary.at(4, 9, 5)
        diary.press(0, .start("left"))
        diary.at(4, 9, 10)
        diary.press(2, .start("right"))
        diary.at(4, 9, 32)
        diary.press(0, .stop)
        diary.at(4, 9, 37)
        diary.press(2, .stop)
        // Sunday: a session that nobody stops. The limit of four hours ends it, at the end of the current
        // phase.
        diary.at(6, 10, 0)
        diary.press(1, .start("forgotten"))
        diary.at(6, 20, 0)
        let world = try diary.story.run()
        let shown = try #require(try world.shown(by: 2))
        for laptop in 0..<2 { #expect(try world.shown(by: laptop)?.history == shown.history) }
        let done = minutes(shown)
        #expect(
            Set(done.keys) == [
                "mail", "report", "train", "late", "desk", "novel", "thesis", "morning", "library", "left",
                "right", "forgotten",
            ], "\(done)")
        #expect(done["mail"] == 50 && completed(shown, "mail") == 2)
        #expect(done["report"] == 20)
        #expect(done["train"] == 50 && completed(shown, "train") == 2)
        #expect(done["novel"] == 20)
        #expect(done["desk"] == 25)
        #expect(done["thesis"] == 25)
        #expect(done["late"] == 20)
        #expect(done["morning"] == 75)
        #expect(done["library"] == 75 && completed(shown, "library") == 3)
        #expect(done["left"] == 25 && done["right"] == 25)
        #expect(done["forgotten"] == 200)
    }

    @Test("of a pair: the history has what they did together, and what each did without the other")
    func pair() throws {
        var diary = Diary(laptops: 2)
        // Monday: both start at once, one of them with a label. One pauses, and the other resumes.
        diary.at(0, 9, 0)
        diary.press(0, .start(nil))
        diary.press(1, .start("plan"))
        diary.at(0, 9, 10)
        diary.press(1, .pause)
        diary.at(0, 9, 20)
        diary.press(0, .resume)
        diary.at(0, 9, 36)
        diary.press(0, .stop)
        // One goes to a meeting without a network and works there. The other has paused, and resumes later.
        diary.at(0, 11, 0)
        diary.press(0, .start("code"))
        diary.at(0, 11, 10)
        diary.press(0, .pause)
        diary.at(0, 11, 15)
        diary.offline(1, until: 0, 14, 0)
        diary.at(0, 11, 20)
        diary.press(1, .resume)
        diary.at(0, 12, 0)
        diary.press(1, .stop)
        diary.at(0, 13, 0)
        diary.press(0, .resume)
        diary.at(0, 13, 5)
        diary.press(0, .skip)
        diary.at(0, 13, 20)
        diary.press(0, .stop)
        // Both begin a session, one of them offline. A setting is changed meanwhile.
        diary.at(0, 15, 0)
        diary.offline(1, until: 0, 17, 0)
        diary.at(0, 15, 5)
        diary.press(1, .workLength(3_000))
        diary.press(1, .start("apart"))
        diary.at(0, 15, 30)
        diary.press(0, .start("other"))
        diary.at(0, 15, 56)
        diary.press(0, .stop)
        diary.at(0, 15, 58)
        diary.press(1, .stop)
        diary.at(1, 9, 0)
        let world = try diary.story.run()
        let shown = try #require(try world.shown(by: 0))
        #expect(try world.shown(by: 1)?.history == shown.history)
        let done = minutes(shown)
        #expect(Set(done.keys) == ["plan", "code", "apart", "other"], "\(done)")
        #expect(done["plan"] == 25 && completed(shown, "plan") == 1)
        // 10, then 15, a break and 20 offline; then 5 and, after the break that a skip began, 10.
        #expect(done["code"] == 60)
        #expect(done["apart"] == 50 && completed(shown, "apart") == 1)
        #expect(done["other"] == 25 && completed(shown, "other") == 1)
        #expect(shown.settings["workLength"] == 3_000)
    }
}
