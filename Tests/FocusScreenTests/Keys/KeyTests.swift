import ClientSupport
import CursesKit
import FocusCore
import FocusFront
import FocusScreen
import FocusSeal
import FocusText
import TestSupport
import Testing

@testable import FocusClient
@testable import FocusDevice
@testable import FocusLink

@Suite("Keys of the full-screen view")
struct KeyTests {
    let size = TerminalSize(rows: 24, columns: 80)

    func scene(
        _ content: Scene.Content = .timer(today: FocusTotal()), _ sharing: GroupStatus = .alone,
        running: Bool = true
    ) throws -> Scene {
        Scene(
            presentation: running
                ? try Samples.running(for: minutes(8), sharing: sharing) : Samples.stopped(sharing),
            settings: Settings(), content: content)
    }

    func press(_ view: inout ViewState, _ scene: Scene, _ keys: Key...) -> Effect? {
        var effect: Effect?
        for key in keys { effect = view.press(key, on: scene, size) }
        return effect
    }

    /// A new view of a screen.
    func opened(_ screen: ScreenName) -> ViewState {
        var view = ViewState()
        view.screen = screen
        return view
    }

    func type(_ view: inout ViewState, _ scene: Scene, _ text: String) {
        for scalar in text.unicodeScalars { _ = view.press(.character(scalar), on: scene, size) }
    }

    @Test(
        "each key of the timer makes its press on every screen",
        arguments: [
            (" ", .toggle), ("s", .skip), ("x", .stop), ("D", .complete), ("B", .rest),
            ("+", .addTime(.seconds(60))),
            ("=", .addTime(.seconds(60))),
            ("-", .addTime(.seconds(-60))), ("u", .undo), ("U", .redo),
        ] as [(Unicode.Scalar, Interaction)])
    func presses(key: Unicode.Scalar, interaction: Interaction) throws {
        var place = StatisticsViewState()
        place.chart = .weeks
        let contents: [Scene.Content] = [
            .timer(today: FocusTotal()), .history(try Samples.historyRows()),
            .statistics(try Samples.statistics(place)), .settings([:]), .devices([]), .unreadable,
        ]
        for content in contents {
            var view = ViewState()
            #expect(press(&view, try scene(content), .character(key)) == .perform(interaction, .toBeAsked))
        }
    }

    @Test(
        "each key that does something on a screen is explained in the help, for all screens or for that one")
    func explained() throws {
        var year = ViewState()
        year.statistics.chart = .year
        let contents: [(ScreenName, Scene.Content)] = [
            (.timer, .timer(today: FocusTotal())), (.history, .history(try Samples.historyRows())),
            (.statistics, .statistics(try Samples.statistics(year.statistics))),
            (.settings, .settings([:])), (.devices, .devices([row("desk", .this), row("old", .revoked)])),
        ]
        // A key that does the same as another one is explained by that key.
        let alike: [String: String] = ["=": "+", "_": "-", "Delete": "d", "Ctrl-P": "k", "Ctrl-N": "j"]
        let named: [(String, Key)] = [
            ("arrows", .up), ("arrows", .down), ("PgUp", .pageUp), ("PgDn", .pageDown), ("g", .home),
            ("G", .end), ("h", .left), ("l", .right), ("Enter", .enter), ("Esc", .escape), ("Tab", .tab),
            ("Tab", .backTab), ("Delete", .delete), ("Ctrl-U", .control("u")), ("-D", .control("d")),
            ("PgUp", .control("b")), ("PgDn", .control("f")), ("Ctrl-L", .control("l")),
            ("Ctrl-P", .control("p")), ("Ctrl-N", .control("n")),
        ]
        let letters = (0x20..<0x7F).compactMap { Unicode.Scalar($0) }.map { scalar in
            (
                scalar == " " ? "space" : "12345".unicodeScalars.contains(scalar) ? "1-5" : String(scalar),
                Key.character(scalar)
            )
        }
        var ranged = year
        ranged.statistics.chart = .hours
        var views: [(ScreenName, Scene.Content, ViewState)] = contents.map { ($0.0, $0.1, year) }
        views.append((.statistics, .statistics(try Samples.statistics(ranged.statistics)), ranged))
        for (screen, content, start) in views {
            let explained = KeyHelp.sections
                .filter { section in
                    !ScreenName.allCases.contains {
                        $0 != screen && $0.rawValue == section.title.lowercased()
                    }
                }
                .flatMap { $0.keys.flatMap { $0.key.split(separator: " ").map(String.init) } }
            for (name, key) in letters + named {
                var view = start
                view.screen = screen
                view.history.filter = "e"
                view.history.list.move(by: 1, on: try Samples.historyRows(), height: 10)
                view.setting = .shared(.dailyGoal)
                view.statistics.yearsBack = 1
                view.devices.move(by: 1, on: ["key of desk", "key of old"], height: 10)
                let before = view
                let effect = press(&view, try scene(content), key)
                guard effect != nil || view != before, view.message != KeyHelp.hint else { continue }
                #expect(explained.contains(alike[name] ?? name), "\(name) on \(screen.rawValue)")
            }
        }
    }

    @Test("a key for a press that isn't offered shows a message")
    func notOffered() throws {
        var view = ViewState()
        let stopped = try scene(running: false)
        for key in ["s", "x", "+", "-"] as [Unicode.Scalar] {
            #expect(press(&view, stopped, .character(key)) == nil)
            #expect(view.message == "Nothing is running: space starts.")
        }
        #expect(press(&view, stopped, .left) == nil)
        #expect(view.message == nil)
    }

    @Test("a start is typed with a length and a time, and a mistake in them leaves the line")
    func startLine() throws {
        var view = ViewState()
        let stopped = try scene(running: false)
        _ = press(&view, stopped, .character("l"))
        type(&view, stopped, "Report --for")
        #expect(press(&view, stopped, .enter) == nil)
        #expect(view.message?.hasPrefix("A duration is missing after --for.") == true)
        type(&view, stopped, " 50m --at 9:30")
        let request = StartRequest(
            label: "Report", length: .seconds(3000), time: .today(.seconds(9 * 3600 + 1800)))
        #expect(press(&view, stopped, .enter) == .start(request))
        #expect(view.dialog == .none)
    }

    @Test("screens are reached by number and by Tab")
    func screens() throws {
        var view = ViewState()
        let scene = try scene()
        _ = press(&view, scene, .character("4"))
        #expect(view.screen == .settings)
        _ = press(&view, scene, .tab, .tab)
        #expect(view.screen == .timer)
        _ = press(&view, scene, .backTab)
        #expect(view.screen == .devices)
        #expect(press(&view, scene, .character("q")) == .quit)
        #expect(press(&view, scene, .control("l")) == .redraw)
    }

    @Test("pasted text presses no keys, and is inserted into a field")
    func pasted() throws {
        var view = ViewState()
        let scene = try scene()
        for scalar in "xq4 ".unicodeScalars { #expect(press(&view, scene, .pasted(scalar)) == nil) }
        #expect(view == ViewState())
        _ = press(&view, scene, .character("l"), .control("u"), .pasted("x"), .pasted("q"))
        #expect(view.dialog == .field(.label, TextField("xq")))
    }

    @Test("l labels the running work, or starts work with a label")
    func label() throws {
        var view = ViewState()
        let running = try scene()
        _ = press(&view, running, .character("l"))
        #expect(view.dialog == .field(.label, TextField("Write")))
        _ = press(&view, running, .control("u"))
        type(&view, running, "sx q")
        #expect(press(&view, running, .enter) == .perform(.label("sx q"), .toBeAsked))
        #expect(view.dialog == .none)

        let stopped = try scene(running: false)
        _ = press(&view, stopped, .character("l"))
        type(&view, stopped, "Mail")
        #expect(press(&view, stopped, .enter) == .perform(.start(label: "Mail"), .toBeAsked))
        _ = press(&view, stopped, .character("l"))
        #expect(press(&view, stopped, .enter) == .perform(.start(label: nil), .toBeAsked))
        _ = press(&view, stopped, .character("l"))
        type(&view, stopped, "no")
        #expect(press(&view, stopped, .escape) == nil)
        #expect(view.dialog == .none)
    }

    @Test("a typed label isn't lost if the session has ended or begun meanwhile")
    func overtaken() throws {
        var view = ViewState()
        let (running, stopped) = (try scene(), try scene(running: false))
        _ = press(&view, running, .character("l"), .control("u"))
        type(&view, running, "Mail")
        #expect(press(&view, stopped, .enter) == nil)
        #expect(view.dialog == .field(.start, TextField("Mail")))
        #expect(view.message?.contains("has ended meanwhile") == true)
        #expect(press(&view, running, .enter) == nil)
        #expect(view.dialog == .field(.label, TextField("Mail")))
        #expect(view.message?.contains("was started meanwhile") == true)
        #expect(press(&view, running, .enter) == .perform(.label("Mail"), .toBeAsked))
    }

    @Test("after a refusal the field opens again with its text")
    func refused() {
        var view = ViewState()
        view.refuse("The disk is full.", askedIn: .field(.name, TextField("den", cursor: 1)))
        #expect(view.dialog == .field(.name, TextField("den", cursor: 1)))
        #expect(view.message == "The disk is full.")
        view = ViewState()
        view.refuse("There is nothing to undo.", askedIn: .none)
        #expect(view.dialog == .none)
        view.refuse(
            "The log can't be written.",
            askedIn: .question(.accept(DeviceRow(id: "desk", name: "desk", .latecomer, remark: ""))))
        #expect(view.dialog == .none)
    }

    @Test("the history is searched from anywhere, and Esc shows all again")
    func filter() throws {
        var view = ViewState()
        let timer = try scene()
        _ = press(&view, timer, .character("/"))
        #expect(view.screen == .history)
        type(&view, timer, "wri")
        #expect(view.shownFilter == "wri")
        _ = press(&view, timer, .enter)
        #expect(view.history.filter == "wri")
        let rows = try scene(.history(try Samples.historyRows(filter: "wri")))
        _ = press(&view, rows, .character("j"), .character("j"))
        #expect(view.history.list.selected != nil)
        _ = press(&view, rows, .escape)
        #expect(view.history == HistoryViewState())
        _ = press(&view, rows, .character("/"), .character("w"), .down)
        #expect(view.history.list.selected != nil, "what was found is looked through while typing")
        _ = press(&view, rows, .character("r"))
        #expect(view.history.list.selected == nil)
        _ = press(&view, rows, .down, .enter)
        #expect(view.history.list.selected != nil && view.history.filter == "wr")
        _ = press(&view, rows, .escape)
        _ = press(&view, rows, .character("/"))
        type(&view, rows, "x")
        _ = press(&view, rows, .escape)
        #expect(view.shownFilter == "")
    }

    @Test("an entry is relabelled, or removed after a yes")
    func correcting() throws {
        var view = opened(.history)
        let rows = try Samples.historyRows()
        let list = try scene(.history(rows))
        let phases = rows.compactMap { if case .phase(let phase) = $0 { phase } else { nil } }
        _ = press(&view, list, .down, .character("e"))
        #expect(view.dialog == .field(.relabel(phases[1].name), TextField(phases[1].label)))
        _ = press(&view, list, .control("u"))
        type(&view, list, "Mail")
        let without = try Samples.historyRows(filter: phases[1].outcome == .skipped ? "completed" : "skipped")
        var late = view
        #expect(press(&late, try scene(.history(without)), .enter) == nil)
        #expect(late.message == "That entry isn't in the history any more.")
        #expect(press(&view, list, .enter) == .perform(.relabel(phases[1].name, "Mail"), .toBeAsked))
        #expect(press(&view, list, .character("d")) == nil)
        guard case .question(.remove(phases[1].name, let what)) = view.dialog else {
            Issue.record("nothing is asked")
            return
        }
        #expect(what.hasPrefix("\(phases[1].from)-\(phases[1].to), "))
        #expect(press(&view, list, .character("n")) == nil)
        #expect(press(&view, list, .delete, .character("y")) == .perform(.remove(phases[1].name), .toBeAsked))
        #expect(press(&view, try scene(.history(HistoryList())), .character("d")) == nil)
        #expect(view.message == "There is no entry here.")
    }

    @Test("an entry is retimed or split by a typed line, with a message about its form")
    func changing() throws {
        var view = opened(.history)
        let rows = try Samples.historyRows()
        let list = try scene(.history(rows))
        let phases = rows.compactMap { if case .phase(let phase) = $0 { phase } else { nil } }
        _ = press(&view, list, .down, .character("t"))
        let shown = "\(phases[1].from)-\(phases[1].to)"
        #expect(view.dialog == .field(.retime(phases[1].name), TextField(shown)))
        #expect(view.message?.contains("45m for how long it took") == true)
        _ = press(&view, list, .control("u"))
        type(&view, list, "later")
        #expect(press(&view, list, .enter) == nil)
        #expect(view.message?.hasPrefix("'later' is neither a time nor a duration. ") == true)
        _ = press(&view, list, .control("u"))
        type(&view, list, "45m")
        let kept = ViewState(view.json)
        #expect(kept.dialog == view.dialog)
        #expect(press(&view, list, .enter) == .change(phases[1].name, .length(.seconds(2_700))))
        _ = press(&view, list, .character("p"))
        type(&view, list, "9:30 Mail")
        #expect(
            press(&view, list, .enter)
                == .change(phases[1].name, .split(.today(34_200_000), label: "Mail")))
        #expect(press(&view, try scene(.history(HistoryList())), .character("p")) == nil)
        #expect(view.message == "There is no entry here.")
    }

    @Test("an entry is added by a typed line, with a message about its form")
    func adding() throws {
        var view = opened(.history)
        let list = try scene(.history(HistoryList()))
        _ = press(&view, list, .character("a"))
        #expect(view.message?.contains("9:30-10:15 Report") == true)
        type(&view, list, "yesterday")
        #expect(press(&view, list, .enter) == nil)
        #expect(view.message?.contains("9:30-10:15 Report") == true)
        #expect(view.dialog == .field(.entry, TextField("yesterday")), "what was typed stays")
        _ = press(&view, list, .control("u"))
        type(&view, list, "45m Report")
        #expect(
            press(&view, list, .enter)
                == .add(AddEntryRequest(.upTo(nil, .seconds(2_700)), .work, label: "Report")))
        #expect(view.dialog == .none)
    }

    @Test("settings are edited in the form, switches change at once, and invalid values show the range")
    func settings() throws {
        var view = opened(.settings)
        let form = try scene(
            .settings([.sound: .off, .warnBefore: .length(.seconds(120)), .theme: .name("dark")]))
        _ = press(&view, form, .enter)
        #expect(view.dialog == .field(.setting(.workLength), TextField("25m")))
        _ = press(&view, form, .control("u"))
        type(&view, form, "25h")
        #expect(press(&view, form, .enter) == nil)
        #expect(view.message?.contains("between 1s and 24h") == true)
        #expect(view.dialog == .field(.setting(.workLength), TextField("25h")), "what was typed stays")
        _ = press(&view, form, .backspace, .pasted("m"), .pasted(" "))
        type(&view, form, "30s")
        #expect(press(&view, form, .enter) == .perform(.set(.workLength, 1530), .toBeAsked))

        _ = press(&view, form, .down, .down, .down, .down)
        #expect(view.setting == .shared(.autoStartBreaks))
        #expect(press(&view, form, .enter) == .perform(.set(.autoStartBreaks, 0), .toBeAsked))
        _ = press(&view, form, .down, .down, .enter)
        type(&view, form, "00")
        #expect(press(&view, form, .enter) == nil)
        #expect(view.message == "Daily goal, in work phases is off, or between 1 and 100.")
        _ = press(&view, form, .escape, .end)
        #expect(view.setting == .own(.tray))
        #expect(press(&view, form, .enter) == .changeOwn(.tray, to: .on))
        _ = press(&view, form, .up)
        #expect(press(&view, form, .enter) == .changeOwn(.accent, to: .name("orange")))
        _ = press(&view, form, .up)
        #expect(press(&view, form, .enter) == .changeOwn(.theme, to: .name("system")), "after the last one")
        #expect(press(&view, form, .up, .enter) == .changeOwn(.idle, to: .off))
        #expect(press(&view, form, .up, .enter) == .changeOwn(.sleep, to: .off))
        _ = press(&view, form, .up, .enter)
        #expect(view.dialog == .field(.ownSetting(.warnBefore), TextField("2m")))
        type(&view, form, "m")
        #expect(press(&view, form, .enter) == nil)
        #expect(view.message?.hasPrefix("Warning before work ends is off, or between 10s and 1h.") == true)
        _ = press(&view, form, .backspace)
        type(&view, form, " 30s")
        #expect(press(&view, form, .enter) == .changeOwn(.warnBefore, to: .length(.seconds(150))))
        _ = press(&view, form, .up)
        #expect(press(&view, form, .enter) == .changeOwn(.sound, to: .on))
        _ = press(&view, form, .home)
        #expect(view.setting == .shared(.workLength))
        _ = press(&view, form, .control("n"), .control("n"), .control("p"))
        #expect(view.setting == .shared(.shortBreakLength))
        _ = press(&view, form, .control("d"), .control("d"))
        #expect(view.setting == .own(.tray))
        _ = press(&view, form, .control("u"), .control("u"), .control("u"))
        #expect(view.setting == .shared(.workLength))
    }

    @Test("a profile is used by its name, a new one is saved after a y, and d removes the one in use")
    func profiles() throws {
        var view = opened(.settings)
        view.setting = .profile
        let form = try scene(.settings([:]))
        _ = press(&view, form, .enter)
        #expect(view.dialog == .field(.profile, TextField()))
        #expect(view.message?.contains("classic, long") == true)
        #expect(view.message?.contains("For another name it asks") == true)
        #expect(press(&view, form, .enter) == nil)
        #expect(view.message == "The name of a profile has 1 to 40 characters.")
        type(&view, form, "long")
        #expect(press(&view, form, .enter) == .perform(.useProfile("long"), .toBeAsked))
        _ = press(&view, form, .enter)
        type(&view, form, "deep")
        #expect(press(&view, form, .enter, .character("y")) == .perform(.saveProfile("deep"), .toBeAsked))
        #expect(press(&view, form, .character("d")) == nil)
        #expect(view.message == "No saved profile is in use. Choose one first: Enter.")
    }

    @Test("left and right change the chart, up and down the year")
    func statistics() throws {
        var view = opened(.statistics)
        let bars = try scene(.statistics(try Samples.statistics(view.statistics)))
        _ = press(&view, bars, .character("j"), .pageDown)
        #expect(view.statistics.bars.selected != nil)
        _ = press(&view, bars, .character("l"))
        #expect(view.statistics.chart == .weeks)
        _ = press(&view, bars, .right)
        #expect(view.statistics.chart == .year)
        let year = try scene(.statistics(try Samples.statistics(view.statistics)))
        _ = press(&view, year, .down, .down, .up)
        #expect(view.statistics.yearsBack == 1)
        _ = press(&view, year, .home, .up)
        #expect(view.statistics.yearsBack == 0)
        _ = press(&view, year, .right)
        #expect(view.statistics.chart == .hours)
        _ = press(&view, year, .character("L"))
        #expect(view.dialog == .field(.label, TextField("Write")))
    }

    func row(_ name: String, _ standing: DeviceRow.Standing = .member) -> DeviceRow {
        DeviceRow(id: "key of \(name)", name: name, standing, remark: "no session yet")
    }

    @Test("another device is revoked after a yes, and this one never")
    func revoking() throws {
        var view = opened(.devices)
        let rows = [row("desk", .this), row("home"), row("old", .revoked), row("import", .keyless)]
        let list = try scene(.devices(rows), .group(GroupConnectionStatus(.online)))
        #expect(press(&view, list, .character("d")) == nil)
        #expect(view.dialog == .none && view.message?.contains("can't shut itself out") == true)
        _ = press(&view, list, .down)
        #expect(press(&view, list, .character("d")) == nil)
        #expect(view.dialog == .question(.revoke(rows[1], along: [])))
        #expect(press(&view, list, .enter, .character(" "), .character("o")) == nil, "only y is yes")
        #expect(press(&view, list, .character("n")) == nil)
        #expect(view.message == "Nothing was changed.")
        #expect(press(&view, list, .character("d"), .character("y")) == .revoke(["key of home"]))
        _ = press(&view, list, .down)
        #expect(press(&view, list, .character("d")) == nil)
        #expect(view.message == "old is already shut out.")
        _ = press(&view, list, .down)
        #expect(press(&view, list, .character("d")) == nil)
        #expect(view.message == "import has never joined a group.")
        #expect(press(&view, list, .character("i")) == .invite)
        #expect(press(&view, try scene(.devices(rows)), .character("i")) == nil)
        #expect(view.message?.contains("This laptop is in no group") == true)
        _ = press(&view, list, .character("e"), .control("u"))
        type(&view, list, "den")
        #expect(press(&view, list, .enter) == .perform(.nameDevice("den"), .toBeAsked))
    }

    /// Returns an invite, and its text.
    func invite() throws -> (Invite, String) {
        let server = try #require(Digest(bytes: [UInt8](repeating: 9, count: 32)))
        let invite = try Invite(
            kind: .joinGroup(GroupMark(of: GroupID(high: 1, low: 2))), addresses: ["focus.example.org"],
            server: ServerPin(server), secret: .random())
        return (invite, try invite.text())
    }

    func paste(_ view: inout ViewState, _ scene: Scene, _ text: String) {
        for scalar in text.unicodeScalars { _ = view.press(.pasted(scalar), on: scene, size) }
    }

    @Test("a solo laptop joins with a pasted invite, wrapped or not, and a bad one can be corrected")
    func joining() throws {
        var view = opened(.devices)
        let alone = try scene(.devices([row("desk", .this)]))
        let (invite, text) = try invite()
        #expect(press(&view, alone, .character("J")) == nil)
        #expect(view.message?.hasPrefix("Paste an invite.") == true)
        #expect(press(&view, alone, .escape) == nil && view.dialog == .none)

        _ = press(&view, alone, .character("J"))
        paste(&view, alone, String(text.dropLast()))
        #expect(press(&view, alone, .enter) == nil)
        #expect(view.message?.contains("mistyped or cut short") == true)
        guard case .field(.invite, let typed) = view.dialog else { return #expect(Bool(false)) }
        #expect(typed.text == String(text.dropLast()), "it is there to be mended")
        paste(&view, alone, String(text.suffix(1)))
        #expect(press(&view, alone, .enter) == .use(invite))
        #expect(view.dialog == .none)

        for text in ["  \(text.prefix(70))   \(text.dropFirst(70))", "https://focus.example/#\(text)"] {
            _ = press(&view, alone, .character("J"))
            paste(&view, alone, text)
            #expect(press(&view, alone, .enter) == .use(invite))
        }

        _ = press(&view, alone, .character("J"))
        paste(&view, alone, String(repeating: "x", count: Invite.textLimit + 9))
        guard case .field(.invite, let long) = view.dialog else { return #expect(Bool(false)) }
        #expect(long.text.count == Invite.textLimit)
        #expect(press(&view, alone, .enter) == nil)
        #expect(view.message?.contains("not an invite") == true)
    }

    @Test("y takes the solo history along, n leaves it behind, and Esc doesn't join")
    func joiningWithHistory() throws {
        let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
        _ = laptop.run(["log", "add", "Write", "--for", "30m"])
        let (invite, _) = try invite()
        let asked = try #require(try SoloHistoryQuestion(invite, .openForReading(laptop.machine)))
        let alone = try scene(.devices([row("desk", .this)]))
        let answers: [(Key, Effect?)] = [
            (.character("y"), .join(invite, .takeAlong)), (.character("n"), .join(invite, .leaveBehind)),
            (.escape, nil), (.character("q"), nil),
        ]
        for (key, effect) in answers {
            var view = ViewState()
            view.screen = .devices
            view.dialog = .question(.soloHistory(asked, invite))
            #expect(press(&view, alone, .enter) == nil, "nothing is taken for an answer that is none")
            #expect(view.dialog == .question(.soloHistory(asked, invite)))
            #expect(press(&view, alone, key) == effect)
            #expect(view.dialog == .none)
            #expect((view.message == "Nothing was changed.") == (effect == nil))
        }
    }

    @Test("while joining, other keys work, and Esc gives up joining")
    func givingUp() throws {
        var view = opened(.devices)
        view.pendingOperation = .joining
        let alone = try scene(.devices([row("desk", .this)]))
        #expect(press(&view, alone, .character("J")) == nil)
        #expect(view.message == "It is joining a group already: Esc gives that up.")
        #expect(press(&view, alone, .character(" ")) == .perform(.toggle, .toBeAsked))
        #expect(press(&view, alone, .character("1"), .escape) == .giveUp)
        view.pendingOperation = .asking
        #expect(press(&view, alone, .escape) == nil)
        let list = try scene(.devices([row("desk", .this)]), .group(GroupConnectionStatus(.online)))
        #expect(press(&view, list, .character("i")) == nil, "one invite at a time")
    }

    @Test("a laptop leaves its group after a yes, and can't join another before")
    func parting() throws {
        var view = opened(.devices)
        let rows = [row("desk", .this), row("home")]
        let list = try scene(.devices(rows), .group(GroupConnectionStatus(.online)))
        #expect(press(&view, list, .character("J")) == nil)
        #expect(view.message?.contains("in a group already") == true && view.dialog == .none)
        #expect(press(&view, list, .character("p")) == nil)
        #expect(view.dialog == .question(.leaveGroup(isOnlyMember: false)))
        #expect(press(&view, list, .enter, .character(" "), .character("n")) == nil)
        #expect(view.message == "Nothing was changed.")
        #expect(press(&view, list, .character("p"), .character("y")) == .leaveGroup(untold: false))
        #expect(press(&view, try scene(.devices(rows)), .character("p")) == nil)
        #expect(view.message == "This laptop is in no group." && view.dialog == .none)
    }

    @Test("after joining with a taken name, a field for another name opens on the devices screen")
    func namesake() {
        let joined = JoinResult(
            addresses: ["a"], name: "desk", others: ["desk (bbbbbbbb)"], hasNamesake: true,
            notices: [])
        var view = opened(.devices)
        view.showJoined(joined, "")
        #expect(view.dialog == .field(.name, TextField(offering: "desk")))
        #expect(view.message?.contains("called desk too. The line below gives") == true)
        var elsewhere = ViewState()
        elsewhere.showJoined(joined, "And more.")
        #expect(elsewhere.dialog == .none)
        #expect(
            elsewhere.message?.hasSuffix(
                "called desk too. e, among the devices, gives this one a name of its own. And more.") == true)
    }

    @Test("the result of joining is one paragraph, with a hint to invite if there are no other laptops")
    func said() {
        let extent = HistoryTransfer.Extent(focus: minutes(20), sessions: 1, first: Samples.today)
        let left = SyncNotice.leftBehind(extent, copy: Home(folder: "/copy"))
        var view = ViewState()
        view.showJoined(
            JoinResult(
                addresses: ["a"], name: "desk", others: [], hasNamesake: false,
                notices: [left]),
            "")
        #expect(view.message?.contains("\n") == false)
        #expect(
            view.message?.contains("focus import - takes it into the group later. i lets the next") == true)
    }

    @Test("the help scrolls, and any other key closes it without doing anything else")
    func help() throws {
        var view = ViewState()
        let small = TerminalSize(rows: 12, columns: 40)
        let scene = try scene()
        _ = view.press(.character("?"), on: scene, small)
        _ = view.press(.character("j"), on: scene, small)
        #expect(view.dialog == .help(top: 1))
        _ = view.press(.character("G"), on: scene, small)
        _ = view.press(.character("j"), on: scene, small)
        guard case .help(let top) = view.dialog else {
            Issue.record("the help is closed")
            return
        }
        #expect(top > 1 && top < 100)
        #expect(view.press(.character("x"), on: scene, small) == nil)
        #expect(view.dialog == .none)
    }
}
