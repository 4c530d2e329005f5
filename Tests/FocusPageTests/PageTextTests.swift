import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusLink
import FocusSync
import Testing

@testable import FocusPage

@Suite("The page's words for commands")
struct PageTextTests {
    private static let troubles: [Trouble] =
        ServerObstacle.allCases.map { .server($0) } + [
            .revoked, .unreadable(2), .latecomers(1), .latecomers(2), .resolved("", .redo),
        ]

    private func names(_ sentence: String) -> Bool {
        sentence.contains(/focus (undo|redo|invite|share|join|leave|devices)/)
    }

    @Test("a trouble names no command for which the page has a button", arguments: troubles)
    func trouble(trouble: Trouble) {
        let sentence = PageText.withOwnWords(trouble.sentence)
        #expect(!names(sentence), "\(sentence)")
    }

    @Test("a failed group operation names no command for which the page has a button")
    func operation() {
        for cause in [.noGroup, .invitedToOtherGroup, .inOtherGroup] as [GroupOperationError.Cause] {
            let sentence = PageText.withOwnWords(GroupOperationError(cause).asCommandFailure().message)
            #expect(!names(sentence), "\(sentence)")
        }
    }

    @Test("a laptop that no longer shares is told the page's key that continues it")
    func stoppedSharing() {
        let sentence = PageText.withOwnWords(SharingFailure.stopped.sentence)
        #expect(
            sentence
                == "This laptop was the group's server, and no longer shares. The key S, under Devices, continues that."
        )
    }

    @Test("a laptop that was shut out is told the screen with the button to leave")
    func shutOut() {
        let sentence = PageText.withOwnWords(Trouble.revoked.sentence)
        #expect(sentence.contains("“Leave the group” on Devices keeps a copy of its log"), "\(sentence)")
    }

    @Test("a command that the page has no button for stays")
    func others() {
        // Only a terminal takes a group to another server.
        let excess = SyncEnd.excess(.epochs, by: "").explanation
        for sentence in [DeviceFailure.inGroup.explanation, excess] {
            #expect(sentence.contains("in a terminal: focus join INVITE"))
            #expect(PageText.withOwnWords(sentence) == sentence)
        }
        #expect(
            PageText.withOwnWords("Then shut out the old key: focus devices revoke 0a1b2c3d. More.")
                == "Then shut out the old key: 0a1b2c3d. More.")
    }

    @Test("a laptop that is named like a command isn't shown as another laptop")
    func likeCommand() {
        let sentence = "focus devices revoke work stopped the session."
        #expect(PageText.withOwnWords(sentence) == sentence)
        #expect(PageText.withOwnWords("Its laptops: \(sentence)") == "Its laptops: \(sentence)")
    }
}
