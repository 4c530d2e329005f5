import FocusCore
import FocusFront
import FocusText
import TestSupport
import Testing

private let run = RunID(stamp: .zero, replica: .a)

@Suite("Who pressed")
struct PressTextTests {
    private func press(_ action: Action, isRedo: Bool = false, at now: SharedInstant) -> String? {
        let event = Event(replica: .b, seq: 1, stamp: .zero, action: action)
        return RecentPress(event, isRedo: isRedo, by: "work", shownAs: "work", at: now)?.text()
    }

    @Test("a press that took effect earlier doesn't say when it was made, because nobody may have pressed")
    func backdated() throws {
        let time: SharedInstant = 86_400_000
        let stamp = try #require(Stamp(time: time, counter: 0))
        let event = Event(replica: .b, seq: 1, stamp: stamp, action: .pause(run, at: nil))
        func text(_ effect: SharedInstant) -> String? {
            RecentPress(event, by: "work", shownAs: "work", effect: effect, at: time)?.text(by: .utc)
        }
        #expect(text(time - .seconds(60)) == "Paused by work as of yesterday 23:59")
        #expect(text(time - .milliseconds(59_999)) == "Paused by work, just now")
        let recent = RecentPress(event, by: "work", shownAs: "work", at: time)
        #expect(recent?.text(namesAge: false) == "Paused by work")
    }

    @Test(
        "the word follows the press",
        arguments: [
            (.start(Action.Start()), "Started"), (.pause(run, at: nil), "Paused"),
            (.resume(run, at: nil), "Resumed"), (.stop(run, at: nil), "Stopped"),
            (.complete(run, ordinal: 0, at: nil), "Completed"),
            (.rest(run, ordinal: 0, at: nil), "Break begun"),
            (.skip(run, ordinal: 0, at: nil), "Skipped"), (.label(run, text: "Write", at: nil), "Renamed"),
            (.label(run, text: "", at: nil), "Name removed"),
            (.adjust(run, ordinal: 0, seconds: 300, at: nil), "5 min added"),
            (.adjust(run, ordinal: 0, seconds: -90, at: nil), "1m30s removed"),
            (.set(key: "idleLimit", value: 60), "'An idle session ends after' changed"),
            (.start(Action.Start(begins: 600_000)), "Planned"),
            (.undo(EventID(replica: .a, seq: 1)), "Undone"),
        ] as [(Action, String)])
    func words(action: Action, words: String) {
        #expect(press(action, at: 60_000) == "\(words) by work, 1 min ago")
    }

    @Test("an undo of an undo is a redo") func redo() {
        let undo = Action.undo(EventID(replica: .a, seq: 1))
        #expect(press(undo, isRedo: true, at: 60_000) == "Redone by work, 1 min ago")
    }

    @Test(
        "its age is in whole minutes, up to ten",
        arguments: [
            (SharedInstant(milliseconds: -5_000), "just now"), (59_999, "just now"), (60_000, "1 min ago"),
            (599_999, "9 min ago"),
            (600_000, nil),
        ] as [(SharedInstant, String?)])
    func age(now: SharedInstant, age: String?) {
        #expect(press(.pause(run, at: nil), at: now) == age.map { "Paused by work, \($0)" })
    }
}
