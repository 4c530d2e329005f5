import ClientSupport
import FocusCore
import FocusDevice
import FocusTray
import TestSupport
import Testing

@Suite("The ids of the tray's menu, and the changes that desktops are told")
struct TrayMenuTests {
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)

    private func show(_ menu: inout TrayMenu) throws -> [TrayChange] {
        let status = try DeviceStatus(Device(laptop.machine))
        return menu.show(TrayContent(status))
    }

    @Test("only the parts that changed are told: nothing, the ring, the minute, or the lines")
    func changes() throws {
        var menu = TrayMenu()
        #expect(try show(&menu) == TrayChange.allCases)
        #expect(try show(&menu) == [])
        _ = laptop.run("start")
        #expect(try show(&menu) == [.icon, .toolTip, .layout])
        let revision = menu.revision
        laptop.pass(.seconds(47))
        #expect(try show(&menu) == [.icon])
        laptop.pass(.seconds(13))
        #expect(try show(&menu) == [.toolTip, .time])
        #expect(menu.revision == revision)
        _ = laptop.run("pause")
        #expect(try show(&menu) == [.icon, .toolTip, .layout])
        #expect(menu.revision == revision + 1)
        _ = laptop.run("label Write")
        #expect(try show(&menu) == [.toolTip, .layout], "an undo would take back something else")
    }

    @Test(
        "an id tells the timer that the menu showed, and the undo's id the log, also when they are old"
    )
    func ids() throws {
        var menu = TrayMenu()
        _ = try show(&menu)
        let start = menu.id(of: .main)
        #expect(menu.line(start)?.line == .main)
        #expect(menu.line(start)?.target?.timer == .stopped)
        _ = laptop.run("start")
        _ = try show(&menu)
        #expect(menu.line(start)?.target?.timer == .stopped)
        let (pause, undo) = (menu.id(of: .main), menu.id(of: .undo))
        #expect(pause != start)
        #expect(menu.line(pause)?.target == menu.content?.target)
        laptop.pass(.seconds(60))
        _ = try show(&menu)
        #expect(menu.id(of: .main) == pause && menu.id(of: .undo) == undo, "only time has passed")
        let events = menu.content?.target.events
        _ = laptop.run("set dailyGoal=5")
        _ = try show(&menu)
        #expect(menu.id(of: .main) == pause)
        #expect(menu.line(pause)?.target?.timer == menu.content?.target.timer)
        #expect(menu.id(of: .undo) != undo)
        #expect(menu.line(undo)?.target?.events == events)
        #expect(menu.line(menu.id(of: .undo))?.target == menu.content?.target)
    }

    @Test("ids of menus that are long gone name no target, and numbers that are no id name no line")
    func unknownIDs() throws {
        var menu = TrayMenu()
        _ = try show(&menu)
        let (first, page) = (menu.id(of: .main), menu.id(of: .openPage))
        for _ in 0..<4 {
            _ = laptop.run("start")
            _ = try show(&menu)
            _ = laptop.run("stop")
            _ = try show(&menu)
        }
        #expect(menu.line(first)?.line == .main)
        #expect(menu.line(first)?.target == nil)
        #expect(menu.id(of: .openPage) == page && menu.line(page)?.line == .openPage)
        for id in [0, -1, Int32.min, Int32.max, menu.id(of: .main) + 16, page + 16, page - 16] {
            #expect(menu.line(id) == nil)
        }
    }
}
