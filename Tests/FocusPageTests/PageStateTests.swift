import ClientSupport
import FocusCore
import FocusDevice
import FocusPage
import FocusText
import TestSupport
import Testing

@Suite("The state that a page is sent")
struct PageStateTests {
    /// A laptop at 18:00 in UTC.
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)

    private func state() throws -> PageState {
        PageState(
            try DeviceStatus(Device(laptop.machine)), own: [:], troubles: [], problem: nil,
            awake: laptop.machine.platform.clocks.awake())
    }

    private func endText(by clocks: LocalZone = .utc) throws -> JSON? {
        try state().json(by: clocks)["endText"]
    }

    @Test("it has the end of the phase by the reader's clocks, or the end that a paused phase would have")
    func end() throws {
        #expect(try endText() == .null)
        laptop.play(("start", 60))
        #expect(try endText() == .string("until 18:25"))
        #expect(try endText(by: LocalZone { _ in .seconds(19_800) }) == .string("until 23:55"))
        laptop.play(("pause", 120))
        #expect(try endText() == .string("would end 18:27"))
    }

    @Test("a new laptop's settings are those that hold after its first start")
    func firstSettings() throws {
        func limit() throws -> JSON? { try state().json(by: .utc)["settingTexts"]?["idleLimit"] }
        #expect(try limit() == .string("4h"))
        laptop.play(("start", 0))
        #expect(try limit() == .string("4h"))
    }

    @Test("a page needs a new state when a paused phase would end a minute later, but not before")
    func pausedEnd() throws {
        laptop.play(("start", 10), ("pause", 0))
        let sent = try state()
        laptop.pass(.seconds(59))
        #expect(try state().isShown(by: sent))
        laptop.pass(.seconds(1))
        #expect(try !state().isShown(by: sent))
    }

    @Test("a page needs no new state while a phase runs, until its end is so near that it has no day")
    func runningEnd() throws {
        laptop.play(("set workLength=13h", 0), ("start", 0))
        let sent = try state()
        #expect(try endText() == .string("until Fri 07:00"))
        laptop.pass(.seconds(3_599))
        #expect(try state().isShown(by: sent))
        laptop.pass(.seconds(1))
        #expect(try !state().isShown(by: sent))
        #expect(try endText() == .string("until 07:00"))
    }

    @Test("it has the spans of the present phase, and a page needs no new one while the last of them grows")
    func intervals() throws {
        func spans() throws -> String? { try state().json(by: .utc)["phaseIntervals"].map { "\($0)" } }
        let start: SharedInstant = 1_763_661_600_000
        #expect(try spans() == "[]")
        laptop.play(("start", 60))
        let first = "[\(start.milliseconds),null]"
        #expect(try spans() == "[\(first)]")
        let sent = try state()
        laptop.pass(.seconds(60))
        #expect(try state().isShown(by: sent))
        laptop.play(("pause", 60))
        let paused = "[\(start.milliseconds),\((start + .seconds(120)).milliseconds)]"
        #expect(try spans() == "[\(paused)]")
        laptop.play(("resume", 30))
        #expect(try spans() == "[\(paused),[\((start + .seconds(180)).milliseconds),null]]")
    }

    @Test("a page needs a new state when work gets into overtime, and none while that counts up")
    func overtime() throws {
        laptop.play(("set overtime=on", 0), ("start", 1_499))
        let before = try state()
        laptop.pass(.seconds(2))
        #expect(try !state().isShown(by: before))
        let sent = try state()
        #expect(try endText() == .string("overtime since 18:25"))
        laptop.pass(.seconds(60))
        #expect(try state().isShown(by: sent))
    }

    @Test("it says by the reader's clocks since when the laptop is offline")
    func offline() throws {
        let device = try Device(laptop.machine)
        try device.enterGroup()
        try device.recordContact()
        for (clocks, time) in [(LocalZone.utc, "18:00"), (LocalZone { _ in .seconds(19_800) }, "23:30")] {
            let text = try state().json(by: clocks)["sharing"]?.text
            #expect(text?.hasPrefix("Offline since \(time): ") == true, "\(text ?? "")")
        }
    }

    @Test("it says which other laptop pressed, and a page needs a new one each minute for that")
    func press() throws {
        func text() throws -> JSON? { try state().json(by: .utc)["pressText"] }
        #expect(try text() == .null)
        let device = try Device(laptop.machine)
        try device.enterGroup()
        try device.merge(.start(Action.Start()), on: "work", at: device.now())
        let sent = try state()
        #expect(try text() == .string("Started by work, just now"))
        laptop.pass(.seconds(59))
        #expect(try state().isShown(by: sent))
        laptop.pass(.seconds(1))
        #expect(try !state().isShown(by: sent))
        #expect(try text() == .string("Started by work, 1 min ago"))
    }
}
