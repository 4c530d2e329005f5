import CursesKit
import FocusCore
import FocusDevice
import FocusFront
import FocusScreen
import TestSupport
import Testing

@Suite("Hints of the full-screen view")
struct HintKeyTests {
    let size = TerminalSize(rows: 24, columns: 80)

    func scene(
        _ content: Scene.Content = .timer(today: FocusTotal()), _ presentation: Presentation? = nil
    ) throws -> Scene {
        Scene(
            presentation: try presentation ?? Samples.running(for: minutes(8)), settings: Settings(),
            content: content)
    }

    func opened(_ screen: ScreenName) -> ViewState {
        var view = ViewState()
        view.screen = screen
        return view
    }

    @discardableResult
    func press(_ view: inout ViewState, _ scene: Scene, _ keys: Key...) -> Effect? {
        var effect: Effect?
        for key in keys { effect = view.press(key, on: scene, size) }
        return effect
    }

    func type(_ view: inout ViewState, _ scene: Scene, _ text: String) {
        for scalar in text.unicodeScalars { press(&view, scene, .character(scalar)) }
    }

    /// Returns the frame's rows, without their frame.
    func rows(_ view: ViewState, _ scene: Scene, columns: Int = 80) -> [String] {
        ScreenFrame.draw(
            view, scene, TerminalSize(rows: 24, columns: columns),
            Capabilities(colours: .none, isUnicode: true)
        )
        .text.split(separator: "\n").prefix(24).map { String($0.dropFirst().dropLast()) }
    }

    @Test("the name of a session that runs isn't given a length or a time, and can be corrected")
    func lengthInName() throws {
        let running = try scene()
        for line in ["Report #deep --for 50m", "Report --at 9:30"] {
            var view = opened(.timer)
            press(&view, running, .character("l"), .control("u"))
            type(&view, running, line)
            #expect(press(&view, running, .enter) == nil)
            #expect(view.message?.contains("only a name") == true)
            #expect(view.dialog == .field(.label, TextField(line)))
            press(&view, running, .control("u"))
            type(&view, running, "Report--for x")
            #expect(press(&view, running, .enter) == .perform(.label("Report--for x"), .toBeAsked))
        }
    }

    @Test("a letter that does nothing names the key of the help, and other keys say nothing")
    func unused() throws {
        var timer = opened(.timer)
        press(&timer, try scene(), .character("z"))
        #expect(timer.message == KeyHelp.hint)
        press(&timer, try scene(), .left)
        #expect(timer.message == nil)
        var days = opened(.statistics)
        press(&days, try scene(.statistics(try Samples.statistics(days.statistics))), .character("r"))
        #expect(days.message == KeyHelp.hint)
    }

    @Test("the names of the profiles stay while one is typed")
    func profileNames() throws {
        var view = opened(.settings)
        view.setting = .profile
        let form = try scene(.settings([:]))
        press(&view, form, .enter)
        type(&view, form, "lo")
        #expect(view.message?.contains("classic, long") == true)
        press(&view, form, .escape)
        #expect(view.message == nil)
    }

    @Test("a name that no profile has is asked about, with the one that may be meant")
    func unknownProfile() throws {
        var view = opened(.settings)
        view.setting = .profile
        let form = try scene(.settings([:]))
        press(&view, form, .enter)
        type(&view, form, "clasic")
        press(&view, form, .enter)
        #expect(view.dialog == .question(.saveProfile("clasic", meant: " Did you mean 'classic'?")))
        for key in "xo".unicodeScalars {
            press(&view, form, .character(key))
            #expect(view.message == "Another key does nothing.")
        }
        press(&view, form, .character("n"))
        #expect(view.message == "Nothing was changed." && view.dialog == .none)
        press(&view, form, .enter)
        type(&view, form, "save")
        press(&view, form, .enter)
        #expect(view.message?.hasPrefix("'save' can't be saved") == true, "not asked about in vain")
    }

    @Test("an undo names the key that redoes it, and one of two presses the key for the other")
    func undone() {
        let run = RunID(stamp: .zero, replica: .a)
        #expect(ViewText.keys(after: .undo, undoing: .stop(run, at: nil)) == "U redoes it.")
        #expect(
            ViewText.keys(after: .undo, undoing: .resume(run, at: nil))
                == "It is paused again: u takes back the pause too, U resumes.")
        #expect(ViewText.keys(after: .redo, undoing: .stop(run, at: nil)) == nil)
        #expect(ViewText.keys(after: .stop, undoing: nil) == nil)
    }

    @Test("in overtime the bottom line says that the work is done and the break begins")
    func overtime() throws {
        let over = try Samples.running(for: minutes(30)) { log, _ in
            log.set("overtime", 1, Samples.now - minutes(29))
        }
        #expect(over.overtime == minutes(5))
        let bar = rows(opened(.timer), try scene(.timer(today: FocusTotal()), over)).last ?? ""
        #expect(bar.contains("D Done, break") && !bar.contains("Skip"))
        #expect(rows(opened(.timer), try scene()).last?.contains("s Skip") == true)
    }

    @Test("a long break is called that while it runs, and in a narrow history")
    func longBreak() throws {
        let long = try Samples.running(for: minutes(28)) { log, _ in
            log.set("longBreakFrequency", 1, Samples.now - minutes(30))
        }
        #expect(long.activity == .longBreak)
        let timer = rows(opened(.timer), try scene(.timer(today: FocusTotal()), long))
        #expect(timer.contains { $0.contains("Break (long)  until") })
        #expect(rows(opened(.settings), try scene(.settings([:]), long))[1].contains("(long)"))
        for (kind, word) in [("long break", " long  ✓"), ("short break", " break ✓")] {
            let found = try Samples.historyRows(filter: kind)
            let narrow = rows(opened(.history), try scene(.history(found)), columns: 40)
            #expect(narrow.contains { $0.contains(word) })
        }
    }
}
