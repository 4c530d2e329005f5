import CursesKit
import FocusCore
import FocusScreen
import TestSupport
import Testing

// Hints of the history, and of the statistics.
extension HintKeyTests {
    @Test("an added entry is selected in the whole history")
    func added() throws {
        let list = try Samples.historyRows()
        let phases = list.compactMap { if case .phase(let phase) = $0 { phase } else { nil } }
        var view = opened(.history)
        view.history.filter = "nothing"
        view.showAdded(phases[30].name)
        #expect(view.history.filter.isEmpty)
        press(&view, try scene(.history(list)), .character("d"))
        guard case .question(.remove(phases[30].name, _)) = view.dialog else {
            Issue.record("it asks about another entry")
            return
        }
    }

    @Test("an empty history offers no keys for entries")
    func emptyHistory() throws {
        let bar = rows(opened(.history), try scene(.history(HistoryList()))).last ?? ""
        #expect(bar.hasPrefix(" a Add  space Pause"), "\(bar)")
    }

    @Test("the past says that the phase in progress isn't in it, if it would be")
    func inProgress() throws {
        let history = Scene.Content.history(try Samples.historyRows())
        let statistics = Scene.Content.statistics(try Samples.statistics(StatisticsViewState()))
        let rest = try Samples.running(for: minutes(27))
        for (screen, content, shown, isSaid) in [
            (.history, history, nil, true), (.statistics, statistics, nil, true),
            (.history, history, rest, true), (.statistics, statistics, rest, false),
            (.history, history, Samples.stopped(), false), (.settings, .settings([:]), nil, false),
        ] as [(ScreenName, Scene.Content, Presentation?, Bool)] {
            let status = rows(opened(screen), try scene(content, shown))[1]
            #expect(status.contains("(not below yet)") == isSaid, "\(status)")
        }
        #expect(!rows(opened(.history), try scene(history), columns: 35)[1].contains("not below"))
    }

    @Test("the history names the laptop on which work was begun, if it is another one")
    func laptops() throws {
        let index = HistoryIndex(
            try Samples.history(), .berlin, Samples.clocks, laptops: [.a: "work"])
        let scene = try scene(.history(index.list()))
        let named = rows(opened(.history), scene).filter { $0.hasSuffix(" on work", ignoring: " ") }
        #expect(named.contains { $0.contains("Write  on work") })
        #expect(named.contains { $0.contains("break") }, "these are imported")
        #expect(!rows(opened(.history), scene, columns: 40).contains { $0.contains("on work") })
    }
}

extension String {
    /// Whether the text ends with `end`, apart from characters after it that are `ignored`.
    fileprivate func hasSuffix(_ end: String, ignoring ignored: Character) -> Bool {
        String(reversed().drop { $0 == ignored }.reversed()).hasSuffix(end)
    }
}
