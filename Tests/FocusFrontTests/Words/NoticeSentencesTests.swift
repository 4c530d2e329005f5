import FocusCore
import FocusDevice
import FocusFront
import FocusSync
import FocusText
import TestSupport
import Testing

@testable import FocusLink

@Suite("Notices in words")
struct NoticeSentencesTests {
    @Test("a laptop that is offline until a person helps says what waits, if anything does")
    func offline() {
        let text = { (pending: UInt64) in
            GroupConnectionStatus(.offline, pending: pending, obstacle: .revoked).offlineText(at: .zero)
        }
        #expect(text(0) == "Offline: this laptop was shut out")
        #expect(text(2) == "Offline: this laptop was shut out; 2 changes wait here")
    }

    @Test("what is said in the same words stands there once, where it came last")
    func once() {
        let notices: [SyncNotice] = [
            .stopped(.clockNotSure), .cloned, .woke(.paused(ago: .seconds(600))),
            .woke(.paused(ago: .seconds(601))), .clockNotSure,
        ]
        let expected: [SyncNotice] = [.cloned, .woke(.paused(ago: .seconds(600))), .clockNotSure]
        #expect(notices.sentences == expected.map(\.sentence))
    }

    @Test("presses that were taken back have the times of the given clock, not of the process's")
    func clocks() throws {
        let run = RunID(stamp: .zero, replica: .a)
        let stamp = try #require(Stamp(time: 3_600_000, counter: 0))
        let press = Event(replica: .a, seq: 1, stamp: stamp, action: .pause(run, at: nil))
        let notice = SyncNotice.returned(SyncNotice.Returned.all(of: [.tookBack(press)], in: ReplayState()))
        for (hours, time) in [(0, "01:00"), (5, "06:00"), (11, "12:00")] {
            let sentence = notice.sentence(by: LocalZone { _ in .seconds(hours * 3_600) })
            #expect(sentence.hasPrefix("The pause at \(time), made here while offline, was taken back"))
        }
    }

    @Test("who waits for the group's key, and who got it for the first time, is named with what to do")
    func newcomers() {
        #expect(
            SyncNotice.latecomers(["desk"]).sentence
                == "desk came with an old key of the group, from before a laptop was shut out, and doesn't get the new one. If you know whose it is: focus devices accept NAME. If not: focus devices revoke NAME."
        )
        #expect(
            SyncNotice.newcomers(["desk"]).sentence
                == "desk got the group's key for the first time, and can read later changes. If you know whose laptop that is, all is well. If not: focus devices revoke NAME."
        )
    }

    @Test("a laptop whose key is another group's has to leave before a new invite helps")
    func otherGroup() {
        let sentence = ServerObstacle.otherGroup.sentence
        #expect(sentence.contains("Leave this one with 'focus leave'"))
        #expect(!sentence.contains(" or ask"))
    }
}
