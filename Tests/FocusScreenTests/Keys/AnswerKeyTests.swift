import CursesKit
import FocusCore
import FocusFront
import FocusScreen
import TestSupport
import Testing

@Suite("The keys that answer a question about time away")
struct AnswerKeyTests {
    private let size = TerminalSize(rows: 24, columns: 80)

    /// A scene ten minutes after the beginning of a session that nobody was at since.
    private func scene(_ content: Scene.Content, isAsked: Bool = true) throws -> Scene {
        Scene(
            presentation: try Samples.running(for: minutes(10)), settings: Settings(), content: content,
            question: isAsked ? try Samples.question() : nil, at: Samples.now)
    }

    private func press(_ key: Key, _ scene: Scene, on screen: ScreenName = .timer) -> Effect? {
        var view = ViewState()
        view.screen = screen
        return view.press(key, on: scene, size)
    }

    private let today = Scene.Content.timer(today: FocusTotal())

    @Test(
        "answer it on the timer screen",
        arguments: [("k", .keep), ("t", .drop), ("p", .pause)] as [(Unicode.Scalar, AbsenceAnswer)])
    func answers(key: Unicode.Scalar, answer: AbsenceAnswer) throws {
        let question = try Samples.question()
        #expect(press(.character(key), try scene(today)) == .answer(answer, question))
        #expect(press(.pasted(key), try scene(today)) == nil)
        #expect(press(.character(key), try scene(today, isAsked: false)) == nil)
        #expect(press(.character(key), try scene(.settings([:])), on: .settings) == nil)
    }

    @Test("are named below it, before the timer's keys, and other screens say that it asks")
    func shown() throws {
        let text = ScreenFrame.draw(
            ViewState(), try scene(today), size, Capabilities(colours: .exact, isUnicode: true)
        ).text
        #expect(text.contains("Away ") && text.contains("(10m), counted now"))
        #expect(text.contains("k Keep  t Take out  p Pause it  space Pause"))
        #expect(!text.contains("1 asks"))
        var view = ViewState()
        view.screen = .settings
        let form = ScreenFrame.draw(
            view, try scene(.settings([:])), size, Capabilities(colours: .exact, isUnicode: true)
        ).text
        #expect(form.contains("(1 asks about time away)"))
        let least = ScreenFrame.draw(
            ViewState(), try scene(today), TerminalSize(rows: 12, columns: 40),
            Capabilities(colours: .exact, isUnicode: true)
        ).text
        #expect(least.contains(" k Keep  t Take out  p Pause it  ? Help "))
    }
}

extension Samples {
    /// Returns the question about the first ten minutes of a session.
    fileprivate static func question() throws -> AbsenceQuestion {
        var log = LogScript()
        log.start(now - minutes(10))
        let events = try EventLog(log.events)
        let absence = try #require(Absence(from: now - minutes(10), until: now))
        return try #require(
            AbsenceQuestion(about: absence, events.replayed().0, in: events, own: [.a]))
    }
}
