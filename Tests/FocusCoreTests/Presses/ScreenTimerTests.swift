import FocusCore
import TestSupport
import Testing

/// Presses on a screen that shows the timer.
@Suite("A press is meant for what was on the screen")
struct ScreenTimerTests {
    /// A session that runs from minute 0. Breaks begin by themselves.
    private let log: LogScript
    private let run: RunID

    init() {
        var log = LogScript()
        run = log.start(0)
        self.log = log
    }

    private static let onTimer: [Interaction] = [
        .start(label: nil), .pause, .resume, .toggle, .stop, .skip, .addTime(.seconds(60)), .label("Write"),
    ]

    @Test("it is carried out where that still holds")
    func same() throws {
        let seen = ScreenTimer(.running(run, ordinal: 0))
        #expect(
            try log.actions(.skip, at: minutes(2), seen: seen) == [.skip(run, ordinal: 0, at: nil)])
        #expect(try log.actions(.toggle, at: minutes(2), seen: seen) == [.pause(run, at: nil)])
        #expect(
            try LogScript().actions(.toggle, at: 0, seen: ScreenTimer(.stopped)) == [.start(.init())])
    }

    @Test(
        "it isn't where the phase has ended, the session is another one, or it runs no more or again",
        arguments: onTimer)
    func different(interaction: Interaction) throws {
        let other = RunID(stamp: Stamp(rawValue: 7 << 16), replica: .b)
        let screens: [ShownTimer] = [
            .stopped, .paused(run, ordinal: 0), .running(run, ordinal: 1), .running(other, ordinal: 0),
            .running(run, ordinal: .max),
        ]
        for screen in screens {
            #expect(throws: InteractionError.changed(to: .running(run, ordinal: 0))) {
                try log.actions(interaction, at: minutes(2), seen: ScreenTimer(screen))
            }
        }
    }

    @Test("space after another laptop's pause or stop resumes nothing and starts nothing")
    func others() throws {
        let seen = ScreenTimer(.running(run, ordinal: 0))
        var paused = log
        paused.pause(run, minutes(2), by: .b)
        #expect(throws: InteractionError.changed(to: .paused(run, ordinal: 0))) {
            try paused.actions(.toggle, at: minutes(2), seen: seen)
        }
        var stopped = log
        stopped.stop(run, minutes(2), by: .b)
        #expect(throws: InteractionError.changed(to: .stopped)) {
            try stopped.actions(.toggle, at: minutes(2), seen: seen)
        }
    }

    @Test(
        "what came there by something else less than a second ago isn't pressed through",
        arguments: [
            (nil, true), (.milliseconds(Int64.min), false), (.zero, false), (.milliseconds(999), false),
            (.seconds(1), true), (.milliseconds(Int64.max), true),
        ] as [(Duration?, Bool)])
    func fresh(age: Duration?, isMeant: Bool) {
        let shown = ShownTimer.paused(run, ordinal: 0)
        #expect(ScreenTimer(shown, age: age).isMeant(for: shown) == isMeant)
    }

    @Test("what changes no timer is carried out whatever was on the screen")
    func elsewhere() throws {
        let seen = ScreenTimer(.stopped, age: .zero)
        let interactions: [Interaction] = [.set(.workLength, 60), .undo, .nameDevice("desk")]
        for interaction in interactions {
            #expect(try log.actions(interaction, at: minutes(2), seen: seen).count == 1)
        }
    }

    @Test("time added, and a label given, leave what a press is meant for as it was")
    func sameStill() throws {
        var log = log
        log.adjust(run, 0, seconds: 60, minutes(1), by: .b)
        log.label(run, "Write", minutes(1), by: .b)
        #expect(
            try log.actions(.pause, at: minutes(2), seen: ScreenTimer(.running(run, ordinal: 0)))
                == [.pause(run, at: nil)])
    }
}
