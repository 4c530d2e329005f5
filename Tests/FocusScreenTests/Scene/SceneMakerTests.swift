import ClientSupport
import CursesKit
import FocusAgent
import FocusCore
import FocusDevice
import FocusScreen
import TestSupport
import Testing

@Suite("The cost of making scenes")
struct SceneMakerTests {
    private let home = TemporaryHome()
    private let time: VirtualTime
    private let model: DeviceModel
    private let scenes: SceneMaker

    init() throws {
        let laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        time = VirtualTime(laptop)
        model = try DeviceModel(Device(laptop.machine), time) {}
        scenes = SceneMaker(model)
        for label in ["Write", "Read", "Mail"] {
            try model.perform(.start(label: label))
            time.pass(.seconds(90))
            try model.perform(.skip)
            try model.perform(.stop)
        }
    }

    private func made(_ body: () throws -> Void) rethrows -> Int {
        let before = scenes.made
        try body()
        return scenes.made - before
    }

    private func press(_ view: inout ViewState, _ keys: Key...) {
        for key in keys {
            _ = view.press(key, on: scenes.scene(for: view), TerminalSize(rows: 24, columns: 80))
            _ = scenes.scene(for: view)
        }
    }

    @Test("neither keys nor seconds make the history's index or list again")
    func keys() throws {
        try model.perform(.start(label: "Write"))
        var view = ViewState()
        view.screen = .history
        #expect(made { _ = scenes.scene(for: view) } == 2, "where things are, and the list")
        #expect(
            made { press(&view, .down, .character("j"), .end, .home, .pageDown, .character("e"), .escape) }
                == 0)
        let seconds = made {
            for _ in 0..<30 {
                time.pass(.seconds(1))
                _ = scenes.scene(for: view)
            }
        }
        #expect(seconds == 0)
    }

    @Test("each letter of a search makes a list, and the first letter also makes the search")
    func search() {
        var view = ViewState()
        view.screen = .history
        press(&view, .character("/"))
        #expect(made { press(&view, .character("w")) } == 2)
        #expect(made { press(&view, .character("r")) } == 1)
        #expect(made { press(&view, .down, .up) } == 0)
    }

    @Test("on the timer, a press that adds no record recounts nothing")
    func pressing() throws {
        let view = ViewState()
        try model.perform(.start(label: "Write"))
        _ = scenes.scene(for: view)
        for _ in 0..<5 {
            let count = try made {
                time.pass(.seconds(10))
                try model.perform(.toggle)
                _ = scenes.scene(for: view)
            }
            #expect(count == 0)
        }
        let count = try made {
            try model.perform(.skip)
            _ = scenes.scene(for: view)
        }
        #expect(count == 1, "the day's total")
    }
}
