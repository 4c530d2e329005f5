import ClientSupport
import CursesKit
import FocusContact
import FocusCore
import FocusDevice
import FocusFront
import FocusScreen
import TestSupport
import Testing

@Suite("The list of recent labels in the full-screen view")
struct LabelKeyTests {
    private let size = TerminalSize(rows: 24, columns: 80)
    private let labels = ["Report #deep", "Mail", "Read #deep", "Plan", "Call", "Tidy"]

    private func scene(running: Bool = false, _ labels: [String]? = nil) throws -> Scene {
        Scene(
            presentation: running ? try Samples.running(for: minutes(8)) : Samples.stopped(),
            settings: Settings(), content: .timer(today: FocusTotal()),
            labels: RecentLabels(labels ?? self.labels))
    }

    @discardableResult
    private func press(_ view: inout ViewState, _ scene: Scene, _ keys: Key...) -> Effect? {
        var effect: Effect?
        for key in keys { effect = view.press(key, on: scene, size) }
        return effect
    }

    private func type(_ view: inout ViewState, _ scene: Scene, _ text: String) {
        for scalar in text.unicodeScalars { press(&view, scene, .character(scalar)) }
    }

    /// The labels that a frame shows in rows of their own, from the top, and the chosen one.
    private struct Offered: Equatable {
        var labels: [String] = []
        var chosen: String?
    }

    private func offered(_ view: ViewState, _ scene: Scene, rows: Int = 24) -> Offered {
        let grid = ScreenFrame.draw(
            view, scene, TerminalSize(rows: rows, columns: 80),
            Capabilities(colours: .none, isUnicode: true))
        var found = Offered()
        // The last row has the field.
        for row in 0..<max(0, rows - 1) {
            var text = ""
            var isReversed = true
            for column in 0..<80 {
                guard case .narrow(let cell, let style) = grid[row, column] else { continue }
                text += cell
                isReversed = isReversed && style.isReversed
            }
            guard let label = labels.first(where: { text.split(separator: " ") == $0.split(separator: " ") })
            else { continue }
            found.labels.append(label)
            if isReversed { found.chosen = label }
        }
        return found
    }

    @Test("five are offered at once if there is no text, and those that match if there is some")
    func offering() throws {
        var view = ViewState()
        let scene = try scene()
        #expect(offered(view, scene).labels.isEmpty)
        press(&view, scene, .character("l"))
        #expect(offered(view, scene) == Offered(labels: Array(labels.prefix(5))))
        type(&view, scene, "DEEP")
        #expect(offered(view, scene) == Offered(labels: ["Report #deep", "Read #deep"]))
        type(&view, scene, "x")
        #expect(offered(view, scene).labels.isEmpty)
        press(&view, scene, .backspace)
        #expect(offered(view, scene).labels.count == 2)
        #expect(press(&view, scene, .enter) == .perform(.start(label: "DEEP"), .toBeAsked))
        #expect(offered(view, scene).labels.isEmpty)
    }

    @Test("none is offered for a label that isn't changed yet, before the arrow asks for them")
    func renaming() throws {
        var view = ViewState()
        let scene = try scene(running: true)
        press(&view, scene, .character("l"))
        #expect(view.dialog == .field(.label, TextField("Write")))
        #expect(offered(view, scene).labels.isEmpty)
        press(&view, scene, .down)
        #expect(offered(view, scene) == Offered(labels: Array(labels.prefix(5)), chosen: "Report #deep"))
        #expect(press(&view, scene, .down, .enter) == .perform(.label("Mail"), .toBeAsked))
        #expect(view.dialog == .none)
    }

    @Test("the arrows go through them and past the ends to the typed text, and Tab copies one to change it")
    func choosing() throws {
        var view = ViewState()
        let scene = try scene()
        press(&view, scene, .character("l"))
        type(&view, scene, "deep")
        for chosen in ["Report #deep", "Read #deep", nil, "Report #deep"] {
            press(&view, scene, .down)
            #expect(offered(view, scene).chosen == chosen)
        }
        press(&view, scene, .up)
        #expect(offered(view, scene).chosen == nil)
        press(&view, scene, .tab)
        #expect(view.dialog == .field(.start, TextField("deep")), "Tab copies only a chosen one")
        press(&view, scene, .up, .tab)
        #expect(view.dialog == .field(.start, TextField("Read #deep")))
        #expect(offered(view, scene).labels.isEmpty)
        type(&view, scene, "!")
        #expect(press(&view, scene, .enter) == .perform(.start(label: "Read #deep!"), .toBeAsked))
    }

    @Test("a chosen label is the name as it is, also if it looks like a length or an option")
    func options() throws {
        for label in ["Read --watch", "--for 50m"] {
            let (stopped, running) = (try scene([label]), try scene(running: true, [label]))
            var view = ViewState()
            press(&view, stopped, .character("l"), .down)
            var copied = view
            #expect(press(&view, stopped, .enter) == .perform(.start(label: label), .toBeAsked), "\(label)")
            press(&copied, stopped, .tab)
            #expect(copied.dialog == .field(.start, TextField("-- \(label)")))
            // Meanwhile a session is started, and ends again.
            #expect(press(&copied, running, .enter) == nil)
            #expect(copied.dialog == .field(.label, TextField(label)))
            var renaming = copied
            #expect(press(&renaming, running, .enter) == .perform(.label(label), .toBeAsked), "\(label)")
            #expect(press(&copied, stopped, .enter) == nil)
            #expect(press(&copied, stopped, .enter) == .perform(.start(label: label), .toBeAsked))
        }
    }

    @Test("Esc closes the list first, then the field")
    func closing() throws {
        var view = ViewState()
        let scene = try scene()
        for key in [.escape, .control("g")] as [Key] {
            press(&view, scene, .character("l"), .character("m"), key)
            #expect(view.dialog == .field(.start, TextField("m")))
            #expect(offered(view, scene).labels.isEmpty)
            press(&view, scene, key)
            #expect(view.dialog == .none)
        }
    }

    @Test("the chosen label stays chosen if another one comes before it, and isn't taken once it is gone")
    func moving() throws {
        var view = ViewState()
        press(&view, try scene(), .character("l"), .down)
        let more = try scene(["Tidy", "Report #deep"])
        #expect(offered(view, more) == Offered(labels: ["Tidy", "Report #deep"], chosen: "Report #deep"))
        var gone = view
        #expect(press(&gone, try scene(["Tidy"]), .enter) == .perform(.start(label: nil), .toBeAsked))
        #expect(press(&view, more, .enter) == .perform(.start(label: "Report #deep"), .toBeAsked))
    }

    @Test("an entry of the history is relabelled by them, but other fields and small terminals have none")
    func elsewhere() throws {
        var view = ViewState()
        view.screen = .history
        let list = Scene(
            presentation: Samples.stopped(), settings: Settings(),
            content: .history(try Samples.historyRows()), labels: RecentLabels(labels))
        press(&view, list, .character("e"), .control("u"))
        guard case .field(.relabel(let name), _) = view.dialog else {
            Issue.record("nothing is relabelled")
            return
        }
        #expect(press(&view, list, .down, .enter) == .perform(.relabel(name, "Report #deep"), .toBeAsked))
        press(&view, list, .character("/"), .down)
        #expect(offered(view, list).labels.isEmpty)

        view = ViewState()
        let scene = try scene()
        press(&view, scene, .character("l"))
        for (rows, count) in [(24, 5), (9, 3), (6, 0), (0, 0)] {
            #expect(offered(view, scene, rows: rows).labels.count == count, "\(rows) rows")
        }
    }

    @Test("in the line for a new entry they are offered after its times, which stay")
    func entry() throws {
        var view = ViewState()
        view.screen = .history
        let list = Scene(
            presentation: Samples.stopped(), settings: Settings(),
            content: .history(try Samples.historyRows()), labels: RecentLabels(labels))
        press(&view, list, .character("a"))
        type(&view, list, "9:30")
        press(&view, list, .down)
        #expect(offered(view, list).labels.isEmpty, "there is no length yet")
        type(&view, list, "-10:15")
        #expect(offered(view, list).labels.isEmpty)
        type(&view, list, " ")
        #expect(offered(view, list).labels == Array(labels.prefix(5)))
        type(&view, list, "deep")
        #expect(offered(view, list).labels == ["Report #deep", "Read #deep"])
        var copied = view
        press(&copied, list, .down, .tab)
        #expect(copied.dialog == .field(.entry, TextField("9:30-10:15 Report #deep")))
        let request = try AddEntryRequest(line: "9:30-10:15 Read #deep")
        #expect(press(&view, list, .up, .enter) == .add(request))
    }

    @Test("in the line that splits an entry they are offered after the time, which stays")
    func split() throws {
        var view = ViewState()
        view.screen = .history
        let list = Scene(
            presentation: Samples.stopped(), settings: Settings(),
            content: .history(try Samples.historyRows()), labels: RecentLabels(labels))
        press(&view, list, .character("p"))
        guard case .field(.split(let name), _) = view.dialog else {
            Issue.record("nothing is split")
            return
        }
        type(&view, list, "9:30")
        #expect(offered(view, list).labels.isEmpty)
        type(&view, list, " deep")
        #expect(offered(view, list).labels == ["Report #deep", "Read #deep"])
        let second = EntryChange.split(.today(34_200_000), label: "Report #deep")
        #expect(press(&view, list, .down, .enter) == .change(name, second))
    }

    @Test("a yes to the question about a start that is cut short starts all the same")
    func fallShort() throws {
        let start = Interaction.start(label: "Plan", begins: Samples.now - minutes(300))
        let stopped = try scene()
        let answers: [(Unicode.Scalar, Effect?)] = [("y", .perform(start, .toBeAsked)), ("n", nil)]
        for (answer, effect) in answers {
            var view = ViewState()
            view.dialog = .question(.fallShort("It would count from 25m ago.", of: start))
            #expect(press(&view, stopped, .character(answer)) == effect)
            #expect(view.dialog == .none)
        }
    }

    @Test("they are those of the history, also after a press, and are read only while a label is typed")
    func reading() throws {
        let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
        let time = VirtualTime(laptop)
        let model = try DeviceModel(Device(laptop.machine), time) {}
        let scenes = SceneMaker(model)
        var view = ViewState()
        for (label, expected) in [("Write", ["Write"]), ("Read", ["Read", "Write"])] {
            try model.perform(.start(label: label))
            time.pass(.seconds(90))
            try model.perform(.stop)
            view.dialog = .field(.start, TextField())
            #expect(scenes.scene(for: view).labels.all == expected)
            view.dialog = .field(.entry, TextField("45m "))
            #expect(scenes.scene(for: view).labels.all == expected)
            view.dialog = .field(.entry, TextField("45m"))
            #expect(scenes.scene(for: view).labels.all.isEmpty)
            view.dialog = .none
            #expect(scenes.scene(for: view).labels.all.isEmpty)
        }
    }
}
