import ClientSupport
import FocusContact
import FocusCore
import FocusDevice
import FocusScreen
import TestSupport
import Testing

@Suite("Scenes of a model")
struct SceneMakerTests {
    @Test("show the day's total and the history, or the entries searched for, as they are after each press")
    func following() throws {
        let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
        let time = VirtualTime(laptop)
        let model = try DeviceModel(Device(laptop.machine), time) {}
        let scenes = SceneMaker(model)
        var view = ViewState()
        for (count, label) in ["Write", "Read", "Mail"].enumerated() {
            try model.perform(.start(label: label))
            time.pass(.seconds(90))
            try model.perform(.stop)
            view.screen = .timer
            guard case .timer(let today) = scenes.scene(for: view).content else { throw OtherScene() }
            #expect(today == FocusTotal(focus: .seconds(90 * Int64(count + 1)), completed: 0))
            view.screen = .history
            for (filter, choices) in [("", count + 1), ("wri", 1), ("x", 0), ("", count + 1)] {
                view.history.filter = filter
                guard case .history(let list) = scenes.scene(for: view).content else { throw OtherScene() }
                #expect(list.choiceCount == choices, "\(label), '\(filter)'")
            }
        }
    }

    private struct OtherScene: Error {}
}
