import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §2 and §4, "profile".
@Suite("Profiles")
struct ProfileTests {
    private let deep = PhaseLengths(work: 3000, shortBreak: 600, longBreak: 1800, longBreakFrequency: 2)

    private func names(_ log: LogScript) throws -> [String] {
        try log.state(at: minutes(90)).profiles.map(\.name)
    }

    @Test("a profile puts its values in force, is saved by its cleaned name, and one undo takes it back")
    func used() throws {
        var log = LogScript()
        let event = log.add(.profile(name: " deep\n", deep), 1)
        let state = try log.state(at: 2)
        #expect(state.settings["workLength"] == 3000 && state.settings["shortBreakLength"] == 600)
        #expect(state.settings["longBreakLength"] == 1800 && state.settings["longBreakFrequency"] == 2)
        #expect(try names(log) == ["deep"])
        let press = log.undo(event, 3)
        #expect(try log.state(at: 4).settings == NaiveSettings() && names(log) == [])
        log.undo(press, 5)
        #expect(try names(log) == ["deep"])
    }

    @Test("a later profile of the same name replaces it, and a removal forgets it but not the settings")
    func replaced() throws {
        var log = LogScript()
        log.add(.profile(name: "deep", deep), 1)
        log.add(.profile(name: "deep", Profile.builtIn[0].lengths), 2)
        #expect(try log.state(at: 3).profiles.map { $0.values["workLength"] } == [1500])
        log.add(.profile(name: "deep", deep), 3)
        log.add(.profile(name: "deep", nil), 4)
        #expect(try names(log) == [] && log.state(at: 5).settings["workLength"] == 3000)
    }

    @Test("the run is brought forward as by a set, but not by saving the values in force")
    func moves() throws {
        var log = LogScript(set: "idleLimit", 600)
        let run = log.start(1)
        log.pause(run, 1)
        var saved = log
        saved.add(.profile(name: "mine", PhaseLengths(Settings())), minutes(9))
        #expect(try saved.state(at: minutes(18)).run == nil && names(saved) == ["mine"])
        log.add(.profile(name: "deep", deep), minutes(9))
        #expect(try log.state(at: minutes(18)).run == run)
        var running = LogScript()
        running.start(0)
        running.add(.profile(name: "deep", deep), minutes(26))
        let state = try running.state(at: minutes(26))
        #expect(state.activity == "shortBreak" && state.clock == "04:00", "the break keeps its length")
        #expect(try running.state(at: minutes(30)).clock == "50:00")
    }

    @Test("a phase that is waiting keeps its length, and the idle limit counts from its beginning")
    func waiting() throws {
        var log = LogScript(set: "idleLimit", 3000)
        let run = log.start(0, begins: minutes(30))
        log.add(.profile(name: "deep", deep), minutes(1))
        let state = try log.state(at: minutes(31))
        #expect(state.run == run && state.clock == "24:00" && state.settings["workLength"] == 3000)
        #expect(try log.state(at: minutes(56)).activity == "shortBreak")
    }

    @Test(
        "an invalid name or value changes nothing",
        arguments: [
            ("", 60), (" \n", 60), (String(repeating: "x", count: 41), 60), ("deep", 0), ("deep", 86401),
        ] as [(String, Int64)])
    func invalid(name: String, work: Int64) throws {
        var log = LogScript()
        let lengths = PhaseLengths(work: work, shortBreak: 60, longBreak: 60, longBreakFrequency: 4)
        log.add(.profile(name: name, lengths), 1)
        #expect(try log.state(at: 2).settings == NaiveSettings() && names(log) == [])
        #expect(try log.replayed().lastChange == nil)
    }

    @Test("a built-in name and a 33rd name aren't saved, but their values come into force")
    func notSaved() throws {
        var log = LogScript()
        log.add(.profile(name: "classic", deep), 1)
        #expect(try log.state(at: 2).settings["workLength"] == 3000 && names(log) == [])
        for number in 0..<Profile.mostSaved { log.add(.profile(name: "p\(number)", deep), 3) }
        log.add(.profile(name: "one more", Profile.builtIn[1].lengths), 4)
        #expect(try names(log).count == Profile.mostSaved && !names(log).contains("one more"))
        #expect(try log.state(at: 5).settings["longBreakLength"] == 1200)
        log.add(.profile(name: "p3", Profile.builtIn[0].lengths), 6)
        #expect(try log.state(at: 7).settings["workLength"] == 1500, "a saved name can change")
    }

    @Test("names that only look the same are two, ordered by their scalars")
    func names() throws {
        var log = LogScript()
        for name in ["caf\u{E9}", "b", "cafe\u{301}"] { log.add(.profile(name: name, deep), 1) }
        #expect(try names(log).map { $0.unicodeScalars.count } == [1, 5, 4])
    }

    @Test("a checkpoint keeps profiles")
    func checkpoint() throws {
        var log = LogScript()
        for name in ["b", "a"] { log.add(.profile(name: name, deep), 1) }
        let state = try log.replayed()
        #expect(try ReplayState(encoded: state.encoded()) == state)
    }

    @Test("a person uses, saves and removes profiles by name")
    func interactions() throws {
        var log = LogScript()
        #expect(try log.actions(.useProfile("classic"), at: 1) == [])
        let long = Profile.builtIn[1].lengths
        #expect(try log.actions(.useProfile(" long "), at: 1) == [.profile(name: "long", long)])
        try log.press(.useProfile("long"), 1)
        #expect(try log.actions(.saveProfile("mine"), at: 2) == [.profile(name: "mine", long)])
        try log.press(.saveProfile("mine"), 2)
        #expect(try log.actions(.saveProfile("mine"), at: 3) == [])
        #expect(try log.actions(.useProfile("mine"), at: 3) == [])
        #expect(try log.actions(.removeProfile("mine"), at: 3) == [.profile(name: "mine", nil)])
        let use = try log.replayed().allProfiles.filter { $0.isInUse(Settings()) }
        #expect(use.map(\.name) == ["classic"])
    }

    @Test("a profile that isn't there, a bad name, a built-in one and one too many are refused")
    func refused() throws {
        var log = LogScript()
        let refusals: [(Interaction, InteractionError)] = [
            (.useProfile("deep"), .noProfile("deep")), (.removeProfile("deep"), .noProfile("deep")),
            (.saveProfile(" "), .profileName), (.saveProfile("long"), .reservedProfile("long")),
            (.removeProfile("classic"), .reservedProfile("classic")),
            (.saveProfile("Classic"), .reservedProfile("Classic")),
            (.saveProfile("save"), .reservedProfile("save")),
        ]
        for (interaction, error) in refusals {
            #expect(throws: error) { try log.actions(interaction, at: 1) }
        }
        for number in 0..<Profile.mostSaved { log.add(.profile(name: "p\(number)", deep), 1) }
        #expect(throws: InteractionError.tooManyProfiles) {
            try log.actions(.saveProfile("one more"), at: 2)
        }
    }

    @Test("a profile used offline is used again on returning, unless others set one of its settings")
    func returning() throws {
        for theirs in [nil, "longBreakLength", "dailyGoal"] as [String?] {
            var log = LogScript()
            log.start(0, by: .b)
            let pending = log.add(.profile(name: "deep", deep), minutes(1))
            if let theirs { log.set(theirs, 7, minutes(2), by: .b) }
            log.start(minutes(3), by: .b)
            let actions = try log.returns(at: minutes(5), pending: [pending])
            let isUsedAgain = theirs != "longBreakLength"
            #expect(
                actions == [.undo(pending.id)] + (isUsedAgain ? [.profile(name: "deep", deep)] : []))
            #expect(try names(log) == (isUsedAgain ? ["deep"] : []))
        }
    }
}
