import FocusCore
import FocusDevice
import FocusLink
import FocusSync
import FocusWords
import Testing

@Suite("Notices in words")
struct NoticeSentencesTests {
    @Test("what is said in the same words stands there once, where it came last")
    func once() {
        let notices: [SyncNotice] = [
            .stopped(.clockNotSure), .cloned, .woke(.paused(ago: .seconds(600))),
            .woke(.paused(ago: .seconds(601))), .clockNotSure,
        ]
        let expected: [SyncNotice] = [.cloned, .woke(.paused(ago: .seconds(600))), .clockNotSure]
        #expect(notices.sentences == expected.map(\.sentence))
    }

    @Test("a laptop whose key is another group's has to leave before a new invite helps")
    func otherGroup() {
        let sentence = ServerObstacle.otherGroup.sentence
        #expect(sentence.contains("Leave this one with 'focus leave'"))
        #expect(!sentence.contains(" or ask"))
    }
}
