import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §5, rule 4. The device that returns is replica a; b's run began at minute 0.
@Suite("On returning, a profile used, saved or removed while away")
struct OvertakenProfileTests {
    private var log = LogScript()
    private let present = PhaseLengths(work: 1500, shortBreak: 300, longBreak: 900, longBreakFrequency: 4)
    private let deep = PhaseLengths(work: 3600, shortBreak: 600, longBreak: 1200, longBreakFrequency: 2)
    private let brief = PhaseLengths(work: 600, shortBreak: 60, longBreak: 120, longBreakFrequency: 3)

    init() { log.start(0, by: .b) }

    /// The saved names after the device has returned at minute 30.
    private mutating func names(after pending: [Event]) throws -> [String] {
        try log.returns(at: minutes(30), pending: pending)
        return try log.replayed().profiles.map(\.name)
    }

    @Test("stays as it is if it only saved the values in force")
    mutating func onlySaved() throws {
        let save = log.add(.profile(name: "mine", present), minutes(1))
        log.pause(log.events[0].run, minutes(2), by: .b)
        #expect(try log.returns(at: minutes(3), pending: [save]) == [])
        log.set("workLength", 3000, minutes(4), by: .b)
        #expect(try log.returns(at: minutes(5), pending: [save]) == [])
        #expect(try log.replayed().profiles.map(\.name) == ["mine"])
        #expect(try log.replayed().settings[.workLength] == 3000)
    }

    @Test("is written again if it saved values that a pending setting had put in force")
    mutating func savedPending() throws {
        let set = log.set("workLength", 3000, minutes(1))
        let long = PhaseLengths(work: 3000, shortBreak: 300, longBreak: 900, longBreakFrequency: 4)
        let save = log.add(.profile(name: "mine", long), minutes(2))
        log.pause(log.events[0].run, minutes(3), by: .b)
        #expect(
            try log.returns(at: minutes(4), pending: [set, save])
                == [.undo(set.id), .undo(save.id), .profile(name: "mine", long)])
    }

    @Test("keeps its name if another profile was used after it")
    mutating func bothNames() throws {
        let pending = [
            log.add(.profile(name: "deep", deep), minutes(1)),
            log.add(.profile(name: "brief", brief), minutes(2)),
        ]
        log.pause(log.events[0].run, minutes(3), by: .b)
        #expect(try names(after: pending) == ["brief", "deep"])
        #expect(try PhaseLengths(log.replayed().settings) == brief)
    }

    @Test("doesn't come back over a later value that nobody has overtaken", arguments: [true, false])
    mutating func overLater(isProfile: Bool) throws {
        let early = log.add(.profile(name: "deep", deep), minutes(1))
        log.pause(log.events[0].run, minutes(2), by: .b)
        let late =
            isProfile
            ? log.add(.profile(name: "brief", brief), minutes(3)) : log.set("workLength", 600, minutes(3))
        #expect(try names(after: [early, late]) == (isProfile ? ["brief", "deep"] : ["deep"]))
        #expect(try log.replayed().settings[.workLength] == 600)
    }

    @Test("is written again once if it was saved twice under one name")
    mutating func savedTwice() throws {
        let pending = [
            log.add(.profile(name: "deep", brief), minutes(1)),
            log.add(.profile(name: " deep ", deep), minutes(2)),
        ]
        log.pause(log.events[0].run, minutes(3), by: .b)
        #expect(
            try log.returns(at: minutes(4), pending: pending)
                == pending.map { .undo($0.id) } + [.profile(name: " deep ", deep)])
    }

    @Test("doesn't come back as a name if it was removed later, but its values do")
    mutating func removed() throws {
        let pending = [
            log.add(.profile(name: "deep", deep), minutes(1)),
            log.add(.profile(name: "deep", nil), minutes(2)),
        ]
        log.pause(log.events[0].run, minutes(3), by: .b)
        #expect(try names(after: pending) == [])
        #expect(try PhaseLengths(log.replayed().settings) == deep)
    }

    @Test("stays removed, or saved, as an undo of its use left it", arguments: [false, true])
    mutating func undone(wasSavedBefore: Bool) throws {
        if wasSavedBefore { log.add(.profile(name: "deep", brief), seconds(1)) }
        let used = log.add(.profile(name: "deep", deep), seconds(2))
        let undo = log.undo(used, minutes(1))
        let before = try log.replayed()
        log.pause(log.events[0].run, minutes(2), by: .b)
        #expect(try names(after: [undo]) == before.profiles.map(\.name))
        #expect(try log.replayed().profiles == before.profiles)
        #expect(try log.replayed().settings == before.settings)
    }
}
