import ClientSupport
import DBusKit
import FocusContact
import FocusCore
import FocusDevice
import FocusFront
import FocusTray
import TestSupport
import Testing

@Suite("The tray's icon on the bus")
struct TrayIconTests {
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
    private let time: VirtualTime
    private let bus = FakeBus()
    private let record = Record()
    private let tray: TrayIcon

    /// The calls of the agent's parts.
    private final class Record {
        var notifications: [Notification] = []
        var openedPages = 0
        var announcements = 0
        var failures: [String] = []
    }

    private static let item = "org.kde.StatusNotifierItem"
    private static let menu = "com.canonical.dbusmenu"

    init() throws {
        time = VirtualTime(laptop)
        let record = record
        tray = TrayIcon(
            TrayContext(
                device: try Device(laptop.machine), time: time, bus: bus,
                log: { event in if case .failed(let error) = event { record.failures.append("\(error)") } },
                recordSuspension: {}, announceChanges: { record.announcements += 1 },
                openPage: { record.openedPages += 1 }, notify: { record.notifications.append($0) }))
        bus.answer = { _ in .success([]) }
    }

    /// Switches the icon on, for a panel that is there.
    private func show() {
        _ = laptop.run("set tray=on")
        tray.refresh()
        bus.setOwner(of: TrayIcon.watcherName, ":1.7")
        bus.deliver()
        time.endTurn()
    }

    /// Calls a method of the icon or of the menu, as a panel does.
    @discardableResult
    private func ask(_ path: String, _ member: String, _ arguments: [BusValue] = []) throws -> [BusValue] {
        let object = try #require(bus.objects[path])
        let interface = path == "/MenuBar" ? TrayIconTests.menu : TrayIconTests.item
        return try object.answer(member, of: interface, arguments, from: ":1.7")
    }

    /// The ids of the menu's lines, by text.
    private func ids() throws -> [String: Int32] {
        let layout = try ask("/MenuBar", "GetLayout", [.int32(0), .int32(-1), .strings([])])
        let root = try #require(layout.last?.elements)
        let children = try #require(root.last?.elements).compactMap(\.elements)
        let pairs = children.compactMap { child -> (String, Int32)? in
            guard let text = child[1].entries?["label"]?.text, let id = child[0].integer else { return nil }
            return (text, Int32(truncatingIfNeeded: id))
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    private func click(_ id: Int32) throws {
        try ask("/MenuBar", "Event", [.int32(id), .string("clicked"), .variant(.string("")), .uint32(0)])
    }

    /// The names of the signals since the last call.
    private func signals(after count: Int) -> [String] { bus.emitted.dropFirst(count).map(\.member) }

    private var isRunning: Bool {
        get throws { try DeviceStatus(Device(laptop.machine)).presentation.isRunning }
    }

    @Test("it is on the bus only while it is switched on, and registers with each panel that comes")
    func registration() throws {
        tray.refresh()
        #expect(bus.objects.isEmpty && bus.calls.isEmpty)
        show()
        #expect(bus.calls.map(\.member) == ["RequestName", "RegisterStatusNotifierItem"])
        bus.setOwner(of: TrayIcon.watcherName, nil)
        #expect(bus.calls.count == 2)
        bus.setOwner(of: TrayIcon.watcherName, ":1.9")
        #expect(bus.calls.count == 4)
        _ = laptop.run("set tray=off")
        tray.refresh()
        #expect(bus.objects.isEmpty)
        #expect(bus.calls.last?.member == "ReleaseName")
        bus.setOwner(of: TrayIcon.watcherName, ":1.10")
        #expect(bus.calls.count == 5)
        #expect(time.alarms == 0)
    }

    @Test("without a panel it is neither on the bus nor wakes")
    func noPanel() throws {
        _ = laptop.run("set tray=on")
        _ = laptop.run("start")
        tray.refresh()
        time.endTurn()
        #expect(time.alarms == 0 && bus.objects.isEmpty)
        bus.setOwner(of: TrayIcon.watcherName, ":1.7")
        time.endTurn()
        #expect(time.alarms > 0)
        #expect(try ids()["Work, 25 min left"] != nil)
        bus.setOwner(of: TrayIcon.watcherName, nil)
        time.endTurn()
        tray.refresh()
        #expect(time.alarms == 0 && bus.objects.isEmpty)
    }

    @Test("a refusal of the panel's list is in the agent's log")
    func refusal() {
        bus.answer = { _ in .failure(.refused(name: "org.example.Full", message: "no room")) }
        show()
        #expect(record.failures.contains { $0.contains("org.example.Full") })
    }

    @Test("a click in the menu presses, and panels are told at once")
    func press() throws {
        show()
        let before = bus.emitted.count
        try click(try #require(ids()["Start"]))
        #expect(try isRunning)
        #expect(record.announcements == 1)
        #expect(signals(after: before) == ["NewIcon", "NewToolTip", "LayoutUpdated"])
        #expect(try ids()["Pause"] != nil)
    }

    @Test("a click on a line for another timer does nothing, and a notification says so")
    func oldMenu() throws {
        show()
        try click(try #require(ids()["Start"]))
        let pause = try #require(ids()["Pause"])
        time.pass(.seconds(10))
        _ = laptop.run("pause")
        tray.refresh()
        time.endTurn()
        time.pass(.seconds(10))
        try click(pause)
        #expect(try !isRunning, "the main line would have resumed")
        #expect(record.notifications.map(\.title) == ["Nothing was changed"])
        try click(try #require(ids()["Resume"]))
        #expect(try isRunning)
    }

    @Test("while it asks about time away, the menu has the answers, and only for the question that it showed")
    func question() throws {
        laptop.play(("start", 1_200), ("idle begin --ago 15m", 0), ("idle end", 0))
        show()
        let lines = try ids()
        #expect(lines.keys.contains { $0.hasPrefix("Away ") && $0.hasSuffix(" (15m), counted now") })
        _ = laptop.run("idle drop")
        tray.refresh()
        time.endTurn()
        #expect(try ids()["Take out"] == nil)
        try click(try #require(lines["Pause as of then"]))
        #expect(record.notifications.map(\.title) == ["Nothing was changed"])
        #expect(try isRunning)
        time.pass(.seconds(900))
        laptop.play(("idle begin --ago 10m", 0), ("idle end", 0))
        tray.refresh()
        time.endTurn()
        let before = record.announcements
        try click(try #require(ids()["Pause as of then"]))
        #expect(try !isRunning)
        #expect(record.announcements == before + 1 && record.notifications.count == 1)
    }

    @Test("of many clicks in one message only the first presses")
    func manyClicks() throws {
        show()
        try click(try #require(ids()["Start"]))
        let lines = try ids()
        let clicks = try ["+5 min", "+5 min", "Pause"].map { text -> BusValue in
            let id = try #require(lines[text])
            return .structure([.int32(id), .string("clicked"), .variant(.string("")), .uint32(0)])
        }
        #expect(
            try ask("/MenuBar", "EventGroup", [.array(clicks, of: "(isvu)")]) == [.array([], of: "i")])
        #expect(try isRunning)
        #expect(try ids()["Work, 30 min left"] != nil)
    }

    @Test("an undo is done only if nothing was pressed since the menu was shown, not even a setting")
    func oldUndo() throws {
        show()
        try click(try #require(ids()["Start"]))
        let undo = try #require(ids()["Undo the start"])
        time.pass(.seconds(10))
        _ = laptop.run("set dailyGoal=5")
        let goal = { try DeviceStatus(Device(laptop.machine)).state.settings[.dailyGoal] }
        try click(undo)
        #expect(record.notifications.map(\.title) == ["Nothing was changed"])
        #expect(try goal() == 5)
        try click(try #require(ids()["Undo the change of dailyGoal"]))
        #expect(try goal() != 5 && isRunning)
    }

    @Test("another laptop's press of a moment ago is named, so it is undone without a question")
    func namedUndo() throws {
        let device = try Device(laptop.machine)
        try device.enterGroup()
        show()
        time.pass(.seconds(2))
        let goal = try DeviceStatus(device).state.settings[.dailyGoal]
        try device.merge(.set(key: "dailyGoal", value: 5), on: "work", at: device.now())
        tray.refresh()
        time.endTurn()
        time.pass(.seconds(1))
        let named = "'Daily goal, in work phases' changed by work"
        #expect(try ids().keys.contains { $0.hasPrefix(named) })
        try click(try #require(ids()["Undo the change of dailyGoal"]))
        #expect(try !ids().keys.contains { $0.hasPrefix(named) })
        #expect(record.notifications.isEmpty)
        #expect(try DeviceStatus(device).state.settings[.dailyGoal] == goal)
    }

    @Test("a menu that was opened many events ago still presses, but for its undo")
    func manyEvents() throws {
        show()
        try click(try #require(ids()["Start"]))
        let old = try ids()
        for goal in 9...17 {
            time.pass(.seconds(1))
            _ = laptop.run("set dailyGoal=\(goal)")
            tray.refresh()
            time.endTurn()
        }
        #expect(try ids()["Pause"] == old["Pause"])
        try click(try #require(old["Undo the start"]))
        #expect(record.notifications.map(\.title) == ["Nothing was changed"])
        #expect(try DeviceStatus(Device(laptop.machine)).state.settings[.dailyGoal] == 17)
        try click(try #require(old["Pause"]))
        #expect(try !isRunning)
        #expect(record.notifications.count == 1)
    }

    @Test("an undo that must ask isn't done, and a notification names the page")
    func consent() throws {
        _ = laptop.run("start")
        show()
        time.pass(.seconds(7200))
        tray.refresh()
        try click(try #require(ids()["Undo the start"]))
        #expect(try isRunning)
        #expect(record.notifications.first?.body.contains("the page") == true)
    }

    @Test(
        "a click on the icon opens the page, a middle click presses the main button, and scrolling does nothing"
    )
    func clicks() throws {
        show()
        try ask("/StatusNotifierItem", "Activate", [.int32(1), .int32(1)])
        try click(try #require(ids()["Open the page"]))
        #expect(record.openedPages == 2)
        try ask("/StatusNotifierItem", "Scroll", [.int32(1), .string("vertical")])
        #expect(try !isRunning)
        try ask("/StatusNotifierItem", "SecondaryActivate", [.int32(1), .int32(1)])
        #expect(try isRunning)
    }

    @Test("while nothing runs it sets no alarm, and while work runs it looks 56 times in 25 minutes")
    func rest() throws {
        show()
        #expect(time.alarms == 0)
        try click(try #require(ids()["Start"]))
        time.endTurn()
        let looks = time.pass(.seconds(1499))
        // Each look has one more call, which draws.
        #expect(looks == 2 * 55)
        try click(try #require(ids()["Pause"]))
        time.endTurn()
        #expect(time.alarms == 1, "only for the end of an idle session")
    }

    @Test("opening the menu brings it up to date and says whether its lines have changed")
    func opening() throws {
        show()
        #expect(try ask("/MenuBar", "AboutToShow", [.int32(0)]) == [.bool(false)])
        _ = laptop.run("start")
        #expect(try ask("/MenuBar", "AboutToShow", [.int32(0)]) == [.bool(true)])
        #expect(try ids()["Work, 25 min left"] != nil)
    }

    @Test("properties are for present lines only, and unknown ids are refused")
    func properties() throws {
        show()
        let ids = try ids()
        let stopped = try #require(ids["No session"])
        let enabled = try ask("/MenuBar", "GetProperty", [.int32(stopped), .string("enabled")])
        #expect(enabled == [.variant(.bool(false))])
        let all = try ask("/MenuBar", "GetGroupProperties", [.array([], of: "i"), .strings([])])
        #expect(all.first?.elements?.count == 7, "the menu, four lines and two separators")
        #expect(throws: BusRefusal.self) { try click(3000) }
        #expect(throws: BusRefusal.self) {
            try ask("/MenuBar", "GetLayout", [.int32(-5), .int32(1), .strings([])])
        }
        let events = BusValue.array(
            [.structure([.int32(3000), .string("clicked"), .variant(.string("")), .uint32(0)])], of: "(isvu)")
        #expect(try ask("/MenuBar", "EventGroup", [events]) == [.array([.int32(3000)], of: "i")])
    }

    @Test("each answer and each property has its declared type")
    func types() throws {
        show()
        for (path, object) in bus.objects {
            for interface in object.interfaces {
                for property in interface.properties {
                    let value = object.value(of: property.name, in: interface.name)
                    #expect(value?.signature == property.signature, "\(path) \(property.name)")
                }
            }
        }
        let menu = try #require(bus.objects["/MenuBar"]?.interfaces.first)
        let arguments: [String: [BusValue]] = [
            "GetLayout": [.int32(0), .int32(-1), .strings([])],
            "GetGroupProperties": [.array([], of: "i"), .strings([])],
            "GetProperty": [.int32(0), .string("children-display")],
            "Event": [.int32(0), .string("opened"), .variant(.int32(0)), .uint32(0)],
            "EventGroup": [.array([], of: "(isvu)")], "AboutToShow": [.int32(0)],
            "AboutToShowGroup": [.array([.int32(0)], of: "i")],
        ]
        for method in menu.methods {
            let given = try #require(arguments[method.name], "\(method.name)")
            #expect(given.map(\.signature) == method.arguments, "\(method.name)")
            #expect(
                try ask("/MenuBar", method.name, given).map(\.signature) == method.results, "\(method.name)")
        }
    }
}
