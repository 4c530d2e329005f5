import FocusCore
import TestSupport
import Testing

@Suite("Undo and redo")
struct UndoRedoTests {
    private var log = LogScript()
    private let run: RunID

    init() { run = log.start(0) }

    /// Returns the reason why the interaction is refused at `now`, or nil if it isn't refused.
    private func refusal(_ interaction: Interaction, at now: SharedInstant) throws -> InteractionError? {
        do {
            _ = try log.actions(interaction, at: now)
            return nil
        } catch let notNow as InteractionError {
            return notNow
        }
    }

    @Test("there is nothing to undo or redo in an empty log, and nothing to redo before an undo")
    func nothing() throws {
        #expect(try refusal(.redo, at: minutes(1)) == .nothingToRedo)
        #expect(throws: InteractionError.nothingToUndo) { try LogScript().actions(.undo, at: 0) }
        #expect(throws: InteractionError.nothingToRedo) { try LogScript().actions(.redo, at: 0) }
    }

    @Test("undo takes back the last change, then the one before it")
    mutating func undo() throws {
        let pause = log.pause(run, minutes(1))
        let set = log.set("dailyGoal", 3, minutes(2))
        for (index, target) in [set, pause, log.events[0]].enumerated() {
            #expect(try log.press(.undo, minutes(3 + Int64(index)))?.action == .undo(target.id))
        }
        #expect(try refusal(.undo, at: minutes(6)) == .nothingToUndo)
        #expect(try log.state(at: minutes(6)).status == "stopped")
    }

    @Test("undo takes back a profile that is a laptop's second event, where nothing else was pressed")
    func profileAfterName() throws {
        var log = LogScript()
        log.add(.device(name: "work", key: nil), 0)
        for setting in Action.firstSettings { log.add(setting, 0) }
        #expect(throws: InteractionError.nothingToUndo) { try log.actions(.undo, at: minutes(1)) }
        log.add(.device(name: "home", key: nil), minutes(1), by: .b)
        let save = try log.press(.saveProfile("mine"), minutes(2), by: .b)
        #expect(save?.id.seq == 2)
        #expect(try log.press(.undo, minutes(3))?.action == save.map { .undo($0.id) })
        #expect(try log.replayed().profiles == [])
    }

    @Test("undo skips what changed nothing, and what nobody pressed")
    mutating func skipping() throws {
        let pause = log.pause(run, minutes(1))
        let before = log
        let idle: [Action] = [
            .pause(run, at: nil), .skip(run, ordinal: 5, at: nil), .set(key: "workLength", value: 1500),
            .set(key: "workLength", value: 0), .set(key: "colour", value: 1),
            .adjust(run, ordinal: 0, seconds: 86401, at: nil),
            .stop(RunID(stamp: .zero, replica: .c), at: nil), .device(name: "desk", key: nil),
            .unknown(.encoded([200])),
            .record(
                .init(
                    activity: "work", startedAt: 0, endedAt: 1000, outcome: "completed", label: "",
                    source: "x")),
            .adopt(run), .undo(EventID(replica: .c, seq: 7)),
        ]
        for action in idle {
            log = before
            log.add(action, minutes(2))
            #expect(try log.actions(.undo, at: minutes(3)) == [.undo(pause.id)], "\(action)")
        }
    }

    @Test("what a device did about its own session by itself isn't the last thing that was pressed")
    mutating func byItself() throws {
        let label = log.label(run, "Write", seconds(30))
        let first = log.start(minutes(1), by: .b, offline: true)
        log.pause(first, minutes(1), by: .b)
        log.stop(first, minutes(2), by: .b)
        let second = log.start(minutes(3), by: .b, offline: true)
        let start = try #require(log.events.last)
        #expect(try log.actions(.undo, at: minutes(4)) == [.undo(start.id)])
        log.stop(second, minutes(4), by: .b)
        log.undo(start, minutes(5), by: .b)
        #expect(try log.timer(at: minutes(6)).run?.label == "Write")
        let begun = try #require(log.events.first { $0.run == first })
        #expect(try log.actions(.undo, at: minutes(6)) == [.undo(begun.id)])
        log.undo(begun, minutes(6))
        #expect(try log.actions(.undo, at: minutes(6)) == [.undo(label.id)])
    }

    @Test("the stop that let another session become everyone's comes before that, which was nobody's press")
    mutating func adopted() throws {
        let own = log.start(minutes(1), by: .b, offline: true)
        let stop = log.stop(run, minutes(2))
        log.add(.adopt(own), minutes(3), by: .b)
        #expect(try log.actions(.undo, at: minutes(4)) == [.undo(stop.id)])
    }

    @Test("the last press is the last change, undo or redo, but nothing that a device wrote by itself")
    mutating func recentPress() throws {
        func recent(_ log: LogScript, since start: SharedInstant = 0) throws -> EventID? {
            let all = try EventLog(log.events)
            return all.recentPress(all.replayed().0, since: start)?.id
        }
        let pause = log.pause(run, minutes(1))
        log.set("workLength", 0, minutes(2))
        #expect(try recent(log, since: minutes(1)) == pause.id)
        #expect(try recent(log, since: minutes(1) + 1) == nil)
        let undo = log.undo(pause, minutes(3))
        #expect(try recent(log) == undo.id)
        let redo = log.undo(undo, minutes(4))
        #expect(try recent(log) == redo.id)
        log = LogScript()
        let first = log.start(0)
        let own = log.start(minutes(1), by: .b, offline: true)
        log.stop(first, minutes(2))
        log.add(.adopt(own), minutes(3), by: .b)
        #expect(try recent(log) == log.events[1].id, "the stop was of a session that isn't shown")
        log = LogScript()
        let current = log.start(0)
        let side = log.start(minutes(1), by: .b, offline: true)
        let paused = log.pause(current, minutes(2))
        let back = log.undo(paused, minutes(3))
        log.stop(side, minutes(4), by: .b)
        #expect(try recent(log) == back.id)
    }

    @Test("the last press is neither a device's undo of a press that was overtaken, nor a first setting")
    func overtakenPress() throws {
        func recent(_ log: LogScript) throws -> EventID? {
            let all = try EventLog(log.events)
            return all.recentPress(all.replayed().0, since: 0)?.id
        }
        var log = LogScript()
        let run = log.start(0)
        let overtaken = log.pause(run, minutes(1), by: .b)
        let stop = log.stop(run, minutes(2))
        log.undo(overtaken, minutes(3), by: .b)
        #expect(try recent(log) == stop.id)
        log = LogScript()
        log.add(.device(name: "work", key: nil), 0)
        for setting in Action.firstSettings { log.add(setting, 0) }
        #expect(try recent(log) == nil)
    }

    @Test(
        "a member that sets thousands of settings again, each after an undo, makes the last press unknown",
        arguments: [(40, true), (100, false)] as [(Int64, Bool)])
    func floodOfSettings(count: Int64, isKnown: Bool) throws {
        var log = LogScript()
        let run = log.start(0, by: .b)
        let pending = log.set("overtime", 1, minutes(1))
        let pause = log.pause(run, minutes(3), by: .b)
        for number in 1...count {
            log.undo(pending, minutes(3 + number))
            log.set("workLength", 1000 + number, minutes(3 + number))
        }
        let all = try EventLog(log.events)
        let press = all.recentPress(all.replayed().0, since: 0)
        #expect(press?.id == (isKnown ? pause.id : nil))
    }

    @Test("the last press is no setting that a device set again on returning, but a later one is")
    func settingAgain() throws {
        func recent(_ log: LogScript) throws -> EventID? {
            let all = try EventLog(log.events)
            return all.recentPress(all.replayed().0, since: 0)?.id
        }
        var log = LogScript()
        let run = log.start(0, by: .b)
        let pending = [
            log.set("workLength", 3000, minutes(1)), log.set("overtime", 1, minutes(2)),
        ]
        let pause = log.pause(run, minutes(3), by: .b)
        let written = try log.returns(at: minutes(4), pending: pending)
        #expect(written.count == 4)
        #expect(try recent(log) == pause.id)
        let pressed = log.set("workLength", 600, minutes(5))
        #expect(try recent(log) == pressed.id)
    }

    /// Appends the undo that `interaction` writes at `now`, and an undo of each stand-in. Returns the events
    /// that they take back.
    private mutating func takeBack(_ interaction: Interaction, at now: SharedInstant) throws -> [EventID] {
        let shown = try log.timer(at: now)
        guard case .undo(let first)? = try log.actions(interaction, at: now).first else { return [] }
        var next: EventID? = first
        var taken: [EventID] = []
        while let id = next, let event = log.events.first(where: { $0.id == id }) {
            taken.append(id)
            log.undo(event, now)
            let all = try EventLog(log.events)
            next = all.standIn(for: event, shown: shown, all.replayed().0, at: now)
        }
        return taken
    }

    @Test("of two that paused, skipped or stopped at once, undo takes both back, and redo brings one")
    mutating func together() throws {
        let pairs: [(Action, Action)] = [
            (.pause(run, at: nil), .pause(run, at: nil)), (.stop(run, at: nil), .stop(run, at: nil)),
            (.skip(run, ordinal: 0, at: nil), .skip(run, ordinal: 0, at: nil)),
            (.stop(run, at: nil), .pause(run, at: nil)),
        ]
        let before = log
        let shown = try log.timer(at: minutes(6))
        for (first, second) in pairs.dropLast() {
            log = before
            let one = log.add(first, minutes(5))
            let other = log.add(second, minutes(5) + 900, by: .b)
            #expect(try takeBack(.undo, at: minutes(6)) == [one.id, other.id], "\(first)")
            #expect(try log.timer(at: minutes(6)) == shown, "\(first)")
            #expect(try takeBack(.redo, at: minutes(6)).count == 1, "\(first)")
            #expect(try log.timer(at: minutes(6)) != shown, "\(first)")
        }
        // The first undo changes what is shown: the session is now paused rather than stopped.
        log = before
        let stop = log.add(pairs[3].0, minutes(5))
        log.add(pairs[3].1, minutes(5) + 900, by: .b)
        #expect(try takeBack(.undo, at: minutes(6)) == [stop.id])
    }

    @Test("of two that undid the same at once, redo takes both back")
    mutating func redoTogether() throws {
        let pause = log.pause(run, minutes(5))
        let undos = [log.undo(pause, minutes(6)), log.undo(pause, minutes(6) + 900, by: .b)]
        #expect(try Set(takeBack(.redo, at: minutes(7))) == Set(undos.map(\.id)))
        if case .paused = try log.timer(at: minutes(7)).status {} else { Issue.record("it runs") }
    }

    @Test("presses of two devices that are minutes apart are taken back one by one")
    mutating func apart() throws {
        let pause = log.pause(run, minutes(5))
        log.pause(run, minutes(7), by: .b)
        #expect(try takeBack(.undo, at: minutes(8)) == [pause.id])
    }

    @Test("what was redone can be undone, and redone again")
    mutating func again() throws {
        let pause = log.pause(run, minutes(1))
        for minute in stride(from: Int64(2), to: 8, by: 2) {
            #expect(try log.press(.undo, minutes(minute))?.action == .undo(pause.id))
            #expect(try log.state(at: minutes(minute)).status == "running")
            try log.press(.redo, minutes(minute + 1))
            #expect(try log.state(at: minutes(minute + 1)).status == "paused")
        }
    }

    @Test("there is nothing to redo once something was changed, here or on another device")
    mutating func redoAfterChange() throws {
        log.pause(run, minutes(1))
        try log.press(.undo, minutes(2))
        let undone = log
        for replica in [ReplicaID.a, .b] {
            log = undone
            log.label(run, "Read", minutes(3), by: replica)
            #expect(try refusal(.redo, at: minutes(4)) == .nothingToRedo)
        }
        log = undone
        log.add(.device(name: "desk", key: nil), minutes(3), by: .b)
        #expect(try refusal(.redo, at: minutes(4)) == nil)
    }

    @Test("after any presses, undoing each and redoing each leads back", arguments: UInt64(0)..<20)
    mutating func thereAndBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var shown: [TimerState] = [try log.timer(at: minutes(100))]
        var now: SharedInstant = minutes(1)
        while shown.count < 12 {
            now += 1000
            let interactions: [Interaction] = [
                .toggle, .stop, .skip, .addTime(.seconds(Int64.random(in: -90...90, using: &random))),
                .label("\(now.milliseconds)"), .set(.shortBreakLength, .random(in: 60...600, using: &random)),
                .set(.dailyGoal, .random(in: 0...9, using: &random)),
            ]
            let interaction = try #require(interactions.randomElement(using: &random))
            let before = log
            guard (try? log.press(interaction, now, by: Bool.random(using: &random) ? .a : .b)) != nil,
                try log.replayed().lastChange?.id == log.events.last?.id
            else {
                log = before
                continue
            }
            shown.append(try log.timer(at: minutes(100)))
        }
        for state in shown.dropLast().reversed() {
            now += 1000
            try log.press(.undo, now)
            #expect(try log.timer(at: minutes(100)) == state, "seed \(seed)")
        }
        for state in shown.dropFirst() {
            now += 1000
            try log.press(.redo, now)
            #expect(try log.timer(at: minutes(100)) == state, "seed \(seed)")
        }
        #expect(try refusal(.redo, at: now) == .nothingToRedo, "seed \(seed)")
    }

    @Test(
        "undoing a stop adds more than its phase once the phase after the next has begun",
        arguments: [
            (minutes(12), false), (minutes(25), false), (minutes(30) - 1, false), (minutes(30), true),
            (minutes(600), true),
        ] as [(SharedInstant, Bool)])
    mutating func addsPhases(now: SharedInstant, addsLaterPhases: Bool) throws {
        log.stop(run, minutes(10))
        try log.press(.undo, now)
        #expect(try log.replayed().addsLaterPhases(sinceUndone: minutes(10), by: now) == addsLaterPhases)
    }

    @Test(
        "undoing a stop adds more if the run has closed by itself since, and nothing if there is no run"
    )
    mutating func addsClosedRun() throws {
        var none = log
        try none.press(.undo, minutes(600))
        #expect(try !none.replayed().addsLaterPhases(sinceUndone: 0, by: minutes(600)))
        log.set("idleLimit", 60, minutes(1))
        log.stop(run, minutes(2))
        try log.press(.undo, minutes(600))
        #expect(try log.replayed().addsLaterPhases(sinceUndone: minutes(2), by: minutes(600)))
    }
}
