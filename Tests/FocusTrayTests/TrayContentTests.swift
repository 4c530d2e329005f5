import ClientSupport
import FocusCore
import FocusDevice
import FocusStore
import FocusTray
import TestSupport
import Testing

@Suite("The tray's icon, tooltip and menu")
struct TrayContentTests {
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)

    /// The content for the laptop's present state.
    private func content() throws -> TrayContent {
        let status = try DeviceStatus(Device(laptop.machine))
        return TrayContent(status)
    }

    private func presentation() throws -> Presentation {
        try DeviceStatus(Device(laptop.machine)).presentation
    }

    private func texts(_ content: TrayContent) -> [String] {
        content.lines.filter { !$0.isSeparator }.map(content.text)
    }

    @Test("the menu has the time, the presses that are possible, and the page")
    func lines() throws {
        #expect(texts(try content()) == ["No session", "Start", "Break", "Open the page"])
        _ = laptop.run("start Write")
        laptop.pass(.seconds(61))
        let (presses, work) = (["+5 min", "Stop", "Undo"], ["Skip", "Done", "Break"])
        #expect(texts(try content()) == ["Work, 24 min left", "Pause"] + work + presses + ["Open the page"])
        _ = laptop.run("pause")
        #expect(
            texts(try content()) == ["Work paused, 24 min left", "Resume"] + work + presses + [
                "Open the page"
            ])
        _ = laptop.run("set autoStartBreaks=off")
        _ = laptop.run("skip")
        #expect(
            texts(try content()) == ["Break waits, 5 min", "Start", "Skip"] + presses + ["Open the page"])
        let lines = try content().lines
        #expect(lines.filter { !$0.isEnabled } == [.time, .firstSeparator, .lastSeparator])
        #expect(
            lines.compactMap(\.interaction) == [.toggle, .skip, .addTime(.seconds(300)), .stop, .undo],
            "in a break")
    }

    @Test("a session that begins later shows when, without a ring, and is updated once a minute")
    func waiting() throws {
        _ = try Device(laptop.machine).perform(
            .start(label: nil, begins: SharedInstant(milliseconds: 1_763_661_600_000 + 600_000)))
        #expect(texts(try content()).prefix(2) == ["Work starts in 10 min", "Start now"])
        #expect(try content().ring.steps == 0)
        #expect(TrayContent.untilNextStep(try presentation()) == .seconds(60))
        _ = laptop.run("stop")
        _ = try Device(laptop.machine).perform(
            .start(label: nil, begins: SharedInstant(milliseconds: 1_763_661_600_000 + 54_101_000)))
        #expect(texts(try content()).prefix(1) == ["Work starts in 15h2m"])
    }

    @Test("overtime has its length and a whole ring in dashes, and is updated once a minute")
    func overtime() throws {
        laptop.play(("set overtime=on", 0), ("start", 1_530))
        #expect(texts(try content()).first == "Work, overtime under 1 min")
        #expect(TrayContent.untilNextStep(try presentation()) == .seconds(30))
        laptop.pass(.seconds(90))
        #expect(texts(try content()).first == "Work, overtime 2 min")
        let (shown, size) = (try content().ring, 48)
        #expect(shown.steps == TrayRing.circle && shown.isOvertime)
        let bytes = shown.picture(size: size)
        let opacities = Set((0..<size * size).map { bytes[$0 * 4] })
        #expect(opacities.isSuperset(of: [0, 64, 255]), "dashes and gaps")
        laptop.play(("pause", 0))
        #expect(texts(try content()).first == "Work paused, overtime 2 min")
    }

    @Test("a laptop that is offline says so in the menu and the tooltip")
    func offline() throws {
        #expect(try content().offline == "")
        try Device(laptop.machine).enterGroup()
        #expect(texts(try content()).prefix(2) == ["No session", "Offline"])
        #expect(try content().lines.filter { !$0.isEnabled }.contains(.offline))
        try Device(laptop.machine).record(.revoked)
        #expect(try content().offline == "Offline: this laptop was shut out")
    }

    @Test("a connected server that doesn't answer is said to, and looked for soon, also while nothing runs")
    func silent() throws {
        let device = try Device(laptop.machine)
        try device.enterGroup()
        _ = try device.perform(.set(.dailyGoal, 5))
        try device.record(ConnectionState(.online))
        #expect(try content().offline == "")
        let wait = try #require(TrayContent.untilNextStep(try presentation()))
        laptop.pass(wait)
        #expect(try content().offline.hasPrefix("The server doesn't answer: "))
        #expect(TrayContent.untilNextStep(try presentation()) == nil)
    }

    @Test("the menu names the press that an undo takes back, shortened if it is long")
    func undo() throws {
        func line() throws -> String {
            let device = try Device(laptop.machine)
            let status = try DeviceStatus(device)
            return TrayContent(status, undoable: try device.store.undoable(status.state)).text(of: .undo)
        }
        _ = laptop.run("log add Report --for 25m")
        let entry = try #require(try laptop.entries().first)
        _ = laptop.run("log resize \(entry) --for 20m")
        #expect(try line() == "Undo the change of an entry's times")
        _ = laptop.run("start")
        #expect(try line() == "Undo the start")
        _ = laptop.run(["label", String(repeating: "a", count: 60)])
        #expect(try line() == "Undo the label '\(String(repeating: "a", count: 32))…")
    }

    @Test("the tooltip shows a label as it was typed, though desktops read markup")
    func label() throws {
        _ = laptop.run(["start", "<b>a & b</b> \u{202E}c"])
        #expect(try content().label == "&lt;b&gt;a &amp; b&lt;/b&gt; \u{FFFD}c")
        _ = laptop.run("stop")
        #expect(try content().label == "")
    }

    @Test("the ring shows the time left in steps, in the colour of the phase")
    func ring() throws {
        #expect(try content().ring.steps == 0)
        _ = laptop.run("start")
        #expect(try content().ring.steps == 32)
        #expect(try content().ring.theme == .work)
        laptop.pass(.seconds(750))
        #expect(try content().ring.steps == 16)
        #expect(try content().ring.isRunning)
        laptop.pass(.seconds(749))
        #expect(try content().ring.steps == 1)
        laptop.pass(.seconds(2))
        #expect(try content().ring.theme == .rest)
        #expect(try content().ring.steps == 32)
        _ = laptop.run("pause")
        #expect(try !content().ring.isRunning)
    }

    @Test("while time runs, the next update is at the ring's next step or at the next minute")
    func steps() throws {
        #expect(TrayContent.untilNextStep(try presentation()) == nil)
        _ = laptop.run("start")
        var updates = 0
        var former = try content()
        while let step = TrayContent.untilNextStep(try presentation()), former.ring.theme == .work {
            #expect(step >= .seconds(1) && step <= .seconds(60))
            laptop.pass(step)
            let new = try content()
            #expect(new != former)
            former = new
            updates += 1
        }
        // 25 minutes and 32 steps; both have the end.
        #expect(updates == 56)
        _ = laptop.run("pause")
        #expect(TrayContent.untilNextStep(try presentation()) == nil)
    }

    @Test("in a phase of seconds there is at most one update a second")
    func shortPhase() throws {
        _ = laptop.run("set workLength=10s")
        _ = laptop.run("start")
        #expect(TrayContent.untilNextStep(try presentation()) == .seconds(1))
    }

    @Test(
        "the picture is a ring: clear in the middle and at the corners, and full only on the part that is left"
    )
    func picture() throws {
        _ = laptop.run("start")
        laptop.pass(.seconds(750))
        let ring = try content().ring
        for size in TrayRing.sizes {
            let bytes = ring.picture(size: size)
            #expect(bytes.count == size * size * 4)
            let pixel = { (column: Int, row: Int) in
                Array(bytes[(row * size + column) * 4..<(row * size + column) * 4 + 4])
            }
            let middle = size / 2
            // A sixth of the size is the ring's width; this is the middle of it.
            let edge = size / 11
            #expect(pixel(middle, middle)[0] == 0)
            #expect(pixel(0, 0)[0] == 0)
            #expect(pixel(size - 1 - edge, middle) == [255, 0xE4, 0x4F, 0x72], "the right half is left")
            #expect(pixel(edge, middle)[0] == 64, "the left half is over")
        }
    }
}
