import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §5, rules 5 and 6. The device that returns is replica a.
@Suite("On returning, work that was shown while cut off")
struct OfflineWorkRecordsTests {
    private let run = RunID(stamp: .zero, replica: .b)

    /// A log that all devices have, the presses on one device while it was cut off, and the others' presses
    /// meanwhile.
    private struct Parting {
        var own: LogScript
        var others: LogScript
        private let shared: Int

        init(_ shared: LogScript) {
            own = shared
            others = shared
            self.shared = shared.events.count
        }

        /// Begins with a session of replica b's from minute 0, which all have.
        init() {
            var shared = LogScript()
            shared.start(0, by: .b)
            self.init(shared)
        }

        /// Lets the device return. Returns the log with all events, and the actions that the device wrote by
        /// itself.
        func returns(at now: SharedInstant) throws -> (log: LogScript, written: [Action]) {
            let pending = Array(own.events.dropFirst(shared))
            let shown = try own.shown(pending, at: now)
            var log = own
            for event in others.events.dropFirst(shared) { log.add(event.action, event.time, by: .b) }
            let written = try log.returns(at: now, pending: pending, shown: shown)
            return (log, written)
        }
    }

    private func focus(_ log: LogScript, at now: SharedInstant) throws -> Duration {
        let (state, journal) = try EventLog(log.events).replayed()
        return History(journal, state, at: now).focus.reduce(.zero) { $0 + $1.length }
    }

    /// In the café: a session is paused at the desk. The laptop continues it for 85 minutes and stops it,
    /// then the desk continues it.
    private func partedInCafé() -> Parting {
        var shared = LogScript(set: "workLength", 3600, by: .b)
        let run = shared.start(0, by: .b, label: "Thesis")
        shared.pause(run, minutes(10), by: .b)
        var parting = Parting(shared)
        parting.own.resume(run, minutes(60))
        parting.own.stop(run, minutes(145))
        parting.others.resume(run, minutes(200), by: .b)
        parting.others.skip(run, 0, minutes(205), by: .b)
        return parting
    }

    @Test("is kept as records where presses are taken back, and one redo brings it all back")
    func café() throws {
        var (log, written) = try partedInCafé().returns(at: minutes(208))
        let state = try log.state(at: minutes(208))
        #expect(state.status == "running" && state.activity == "shortBreak")
        let records = written.compactMap { action -> Action.Record? in
            if case .record(let record) = action { record } else { nil }
        }
        // The first phase has 50 minutes left. After a break of 5 minutes, the next phase has 30.
        #expect(records.map(\.startedAt) == [minutes(60), minutes(115)])
        #expect(records.map(\.endedAt) == [minutes(110), minutes(145)])
        #expect(records.map(\.outcome) == ["completed", "stopped"])
        #expect(records.allSatisfy { $0.label == "Thesis" && $0.keepsWork })
        #expect(try focus(log, at: minutes(208)) == minutes(10 + 80 + 5))
        let before = log.events.count
        try log.press(.redo, minutes(209))
        #expect(log.events.count - before == 4)
        let redone = try log.state(at: minutes(209))
        #expect(redone.status == "stopped")
        #expect(redone.history.allSatisfy { $0.run == redone.history.first?.run })
        #expect(try focus(log, at: minutes(209)) == minutes(10 + 80))
    }

    @Test("is kept where it has no effect beside what came before it, and the phase in progress goes on")
    func stoppedBefore() throws {
        var shared = LogScript()
        let run = shared.start(0, by: .b, label: "Thesis")
        var parting = Parting(shared)
        parting.others.stop(run, minutes(5), by: .b)
        parting.own.pause(run, minutes(7))
        parting.own.resume(run, minutes(10))
        // At minute 40 the device is in its second work phase, from minute 33 to minute 58.
        let (log, written) = try parting.returns(at: minutes(40))
        let state = try log.state(at: minutes(40))
        #expect(state.status == "running" && state.label == "Thesis" && state.remaining == minutes(18))
        #expect(written.contains(.start(.init(label: "Thesis", after: run, at: minutes(33)))))
        #expect(state.history.map(\.outcome) == ["stopped", "completed"])
        // The minutes before the first press on this device don't count: it isn't known that anybody saw
        // them.
        #expect(try focus(log, at: minutes(40)) == minutes(5 + 18))
    }

    @Test("goes on at its own length, where by the group's it would have been over", arguments: [0, 1])
    func shorterMeanwhile(autoStart: Int64) throws {
        var shared = LogScript()
        shared.set("autoStartBreaks", autoStart, 0, by: .b)
        let run = shared.start(0, by: .b, label: "Thesis")
        var parting = Parting(shared)
        parting.others.set("workLength", 300, minutes(1), by: .b)
        parting.others.stop(run, minutes(5), by: .b)
        parting.own.pause(run, minutes(7))
        parting.own.resume(run, minutes(10))
        let (log, _) = try parting.returns(at: minutes(20))
        let state = try log.state(at: minutes(20))
        #expect(state.status == "running" && state.activity == "work" && state.ordinal == 0)
        #expect(state.remaining == minutes(25 - 17))
        #expect(state.history.allSatisfy { $0.outcome != "completed" })
    }

    @Test("counts as completed by its last part, where several are the longest")
    func equalParts() throws {
        var parting = Parting()
        parting.others.stop(run, minutes(1), by: .b)
        parting.own.label(run, "Thesis", minutes(1))
        parting.own.pause(run, minutes(13))
        parting.own.resume(run, minutes(20))
        parting.own.stop(run, minutes(33))
        let (log, _) = try parting.returns(at: minutes(60))
        let work = try log.state(at: minutes(60)).history.filter { $0.activity == "work" }
        #expect(work.map(\.active) == [minutes(1), minutes(12), minutes(12)])
        #expect(work.map(\.outcome) == ["stopped", "stopped", "completed"])
    }

    @Test("keeps the phases that an own setting made, where that setting is taken back")
    func setting() throws {
        var parting = Parting(LogScript())
        parting.own.set("workLength", 3000, 0)
        let run = parting.own.start(minutes(1), label: "Thesis", offline: true)
        parting.own.stop(run, minutes(56) + seconds(30))
        let other = parting.others.start(minutes(100), by: .b)
        var (log, written) = try parting.returns(at: minutes(120))
        let state = try log.state(at: minutes(120))
        #expect(state.run == other)
        #expect(state.history.map(\.outcome) == ["completed", "completed"])
        #expect(state.history.map(\.active) == [minutes(50), minutes(5)])
        #expect(written.contains(.set(key: "workLength", value: 3000)))
        // The undo takes back the setting that was written again, and none of the corrections.
        let undo = try log.press(.undo, minutes(121))
        let anew = log.events.last { $0.action == .set(key: "workLength", value: 3000) }
        #expect(undo?.action == (anew?.id).map { .undo($0) })
    }

    @Test("is noted as bytes and read again")
    func coding() throws {
        let parting = partedInCafé()
        let shown = try #require(try parting.own.shown(parting.own.events.suffix(2), at: minutes(150)))
        #expect(try OfflineWorkNote(encoded: shown.encoded()) == shown)
        var paused = LogScript()
        let run = paused.start(0)
        paused.pause(run, minutes(5))
        let present = try #require(try paused.shown(paused.events, at: minutes(6)))
        #expect(present.present != nil)
        #expect(try OfflineWorkNote(encoded: present.encoded()) == present)
        // A note of nothing. Its last byte says whether a phase is in progress.
        #expect(try OfflineWorkNote(encoded: [1, 0, 0, 0]).present == nil)
        #expect(throws: ByteReader.Failure.invalidValue) { try OfflineWorkNote(encoded: [1, 0, 0, 2]) }
        for length in 0..<present.encoded().count {
            #expect(throws: ByteReader.Failure.self) {
                try OfflineWorkNote(encoded: Array(present.encoded().prefix(length)))
            }
        }
    }

    @Test("that an earlier attempt to return has noted stays, together with what was pressed since")
    func twice() throws {
        let parting = partedInCafé()
        let pending = Array(parting.own.events.suffix(2))
        let first = try #require(try parting.own.shown(pending, at: minutes(150)))
        // Only half of the others' events has arrived, and by these the session ended earlier.
        var log = parting.own
        log.stop(pending[0].action.run ?? log.start(0), minutes(20), by: .b)
        let second = try log.shown(pending, at: minutes(160))
        #expect(second == nil)
        #expect(first.adding(second) == first)
        log.start(minutes(170), label: "More", offline: true)
        let start = try #require(log.events.last)
        let third = try #require(try log.shown([start], at: minutes(180)))
        let both = first.adding(third)
        #expect(both.notedAt == minutes(180))
        #expect(both.present == third.present)
        #expect(both.runs.count == 2 && third.runs.count == 1)
    }

    @Test("a session that closed by itself stays as it was, where somebody goes on after it")
    func goingOnAfterClosed() throws {
        var late = LogScript(set: "idleLimit", 3600, by: .b)
        late.start(0, by: .b)
        var note = LogScript()
        let own = note.start(minutes(2), label: "Alone")
        note.pause(own, minutes(12))
        note.resume(own, minutes(90))
        let shown = try #require(try OfflineWorkNote(joiningIn: note.replayed(), at: minutes(91)))
        let before = try late.state(at: minutes(91)).history.filter { $0.outcome == "completed" }
        #expect(before.count > 3)
        try late.returns(at: minutes(91), shown: shown)
        let after = try late.state(at: minutes(91))
        #expect(after.status == "running" && after.label == "Alone")
        #expect(after.history.filter { $0.outcome == "completed" } == before)
    }

    @Test("is brought into a group once, however often a laptop joins there with the same phase in progress")
    func joinedTwice() throws {
        var group = LogScript()
        group.start(0, by: .b)
        var alone = LogScript()
        let own = alone.start(minutes(2), label: "Alone")
        alone.pause(own, minutes(12))
        alone.resume(own, minutes(20))
        alone.pause(own, minutes(24))
        let shown = try #require(try OfflineWorkNote(joiningIn: alone.replayed(), at: minutes(30)))
        let records = try group.returns(at: minutes(30), shown: shown).compactMap { action in
            if case .record(let record) = action { record } else { nil }
        }
        // The sources are made as for phases that have ended: from the session, the phase and the span.
        #expect(records.map(\.source) == ["\(own.text)/0/0", "\(own.text)/0/1"])
        #expect(records.map(\.startedAt) == [minutes(2), minutes(20)])
        // In an old copy of the disk the phase is still in progress.
        let again = try #require(try OfflineWorkNote(joiningIn: alone.replayed(), at: minutes(50)))
        #expect(try group.returns(at: minutes(50), shown: again) == [])
    }

    @Test("is left out where somebody has taken it out of the history")
    func removed() throws {
        var parting = Parting()
        parting.own.pause(run, minutes(1))
        parting.own.resume(run, minutes(2))
        parting.others.add(
            .amend(.init(run: run, ordinal: 0, removed: true)), minutes(60), by: .b)
        let (_, written) = try parting.returns(at: minutes(70))
        #expect(written == [])
    }

    @Test("is where somebody says that it was, and isn't written down again where it was shown")
    func moved() throws {
        for isOwn in [true, false] {
            var parting = Parting()
            parting.own.pause(run, minutes(1))
            parting.own.resume(run, minutes(2))
            let moved = Action.retime(
                .init(
                    run: run, ordinal: 0, startedAt: minutes(30), endedAt: minutes(56), shift: minutes(30)))
            if isOwn { parting.own.add(moved, minutes(60)) }
            parting.others.add(isOwn ? .set(key: "dailyGoal", value: 3) : moved, minutes(61), by: .b)
            let (log, written) = try parting.returns(at: minutes(70))
            #expect(written == [])
            #expect(try log.state(at: minutes(70)).history.contains { $0.startedAt == minutes(30) })
        }
    }

    @Test("is kept of a phase that was moved where the others cut it off")
    func cutOffMoved() throws {
        var parting = Parting()
        parting.own.pause(run, minutes(12))
        parting.own.resume(run, minutes(13))
        parting.own.add(
            .retime(
                .init(
                    run: run, ordinal: 0, startedAt: minutes(40), endedAt: minutes(66), shift: minutes(40))),
            minutes(70))
        // Somebody at the desk ended the phase after ten minutes.
        parting.others.stop(run, minutes(10), by: .b)
        let (_, written) = try parting.returns(at: minutes(80))
        let records = written.compactMap { if case .record(let record) = $0 { record } else { nil } }
        // The next phase is kept only as far as the moved phase doesn't cover it.
        #expect(
            records.map { [$0.startedAt, $0.endedAt] } == [
                [minutes(13), minutes(26)], [minutes(31), minutes(40)],
            ])
    }

    @Test("a redo of an undo that somebody pressed right after takes back none of the records")
    func redoAfter() throws {
        var (log, _) = try partedInCafé().returns(at: minutes(208))
        let kept = log.events.filter { if case .record = $0.action { true } else { false } }
        // The undo has the same time as the records, as happens if the log is ahead of the clock. Its stamp
        // directly follows theirs.
        let skip = try #require(log.events.last { if case .skip = $0.action { true } else { false } })
        log.undo(skip, minutes(208))
        let count = log.events.count
        try log.press(.redo, minutes(208))
        #expect(log.events.count == count + 1)
        let taken = log.events.compactMap { Undo($0)?.target }
        #expect(kept.allSatisfy { !taken.contains($0.id) })
    }

    @Test("as it holds once more was pressed before all had come", arguments: [0, 1, 2])
    func outdated(what: Int) throws {
        let parting = partedInCafé()
        let pending = Array(parting.own.events.suffix(2))
        let shown = try #require(try parting.own.shown(pending, at: minutes(150)))
        var log = parting.own
        let run = try #require(pending[0].action.run)
        switch what {
        case 0: log.undo(pending[0], minutes(151))
        case 1: log.stop(run, minutes(151), at: minutes(112))
        default: break
        }
        let note = try shown.broughtForward(in: EventLog(log.events), own: [.a], hasSlept: what == 2)
        #expect(note.present == nil)
        switch what {
        case 0: #expect(note.phases == [])
        case 1: #expect(note.phases.map(\.endedAt) == [minutes(110)])
        default: #expect(note.phases == shown.phases)
        }
    }
}
