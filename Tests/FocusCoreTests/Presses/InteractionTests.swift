import FocusCore
import TestSupport
import Testing

/// The actions that each interaction writes in each state.
@Suite("Interactions")
struct InteractionTests {
    /// The four states in which a person can press something.
    enum Scene: CaseIterable {
        /// No run is current.
        case stopped
        case running
        case paused
        /// The phase hasn't begun to run, such as a break that waits to be started.
        case waiting

        var log: LogScript {
            var log = LogScript()
            if self == .waiting { log.set("autoStartBreaks", 0, 0, by: .b) }
            if self != .stopped { log.start(0) }
            if self == .paused { log.pause(run, minutes(1)) }
            return log
        }

        var now: SharedInstant { self == .waiting ? minutes(26) : minutes(2) }

        var run: RunID { RunID(stamp: .zero, replica: .a) }

        var ordinal: Int64 { self == .waiting ? 1 : 0 }
    }

    private func outcome(_ interaction: Interaction, _ scene: Scene) throws -> Result<
        [Action], InteractionError
    > {
        do {
            return .success(try scene.log.actions(interaction, at: scene.now))
        } catch let notNow as InteractionError {
            return .failure(notNow)
        }
    }

    @Test(
        "start, pause and resume are written where they change something, and refused with the reason elsewhere"
    )
    func states() throws {
        #expect(try outcome(.start(label: "Write"), .stopped) == .success([.start(.init(label: "Write"))]))
        #expect(try outcome(.start(label: "Write"), .waiting) == .failure(.isPaused))
        let waiting = Result<[Action], InteractionError>.success([.resume(Scene.waiting.run, at: nil)])
        #expect(try outcome(.start(label: nil), .waiting) == waiting)
        #expect(try outcome(.resume, .waiting) == waiting)
        #expect(try outcome(.pause, .running) == .success([.pause(Scene.running.run, at: nil)]))
        #expect(try outcome(.resume, .paused) == .success([.resume(Scene.paused.run, at: nil)]))
        let refused: [(Interaction, Scene, InteractionError)] = [
            (.start(label: nil), .running, .alreadyRunning), (.start(label: nil), .paused, .isPaused),
            (.pause, .stopped, .nothingRuns), (.pause, .paused, .alreadyPaused),
            (.pause, .waiting, .alreadyPaused), (.resume, .stopped, .nothingRuns),
            (.resume, .running, .alreadyRunning),
        ]
        for (interaction, scene, reason) in refused {
            #expect(try outcome(interaction, scene) == .failure(reason))
        }
    }

    @Test("the main button does what it says", arguments: Scene.allCases)
    func toggle(scene: Scene) throws {
        let same: Interaction =
            switch scene {
            case .stopped: .start(label: nil)
            case .running: .pause
            case .paused, .waiting: .resume
            }
        #expect(try outcome(.toggle, scene) == outcome(same, scene))
        #expect(try scene.log.timer(at: scene.now).mainInteraction == same)
    }

    @Test("what is pressed on a run names it and its phase, and is refused where there is none")
    func onRun() throws {
        for scene in [Scene.running, .paused, .waiting] {
            let run = scene.run
            let ordinal = scene.ordinal
            #expect(try outcome(.stop, scene) == .success([.stop(run, at: nil)]))
            #expect(try outcome(.skip, scene) == .success([.skip(run, ordinal: ordinal, at: nil)]))
            #expect(
                try outcome(.addTime(.seconds(-60)), scene)
                    == .success([.adjust(run, ordinal: ordinal, seconds: -60, at: nil)]))
            #expect(
                try outcome(.label("Read"), scene) == .success([.label(run, text: "Read", at: nil)]))
        }
        for interaction in [Interaction.stop, .skip, .addTime(.seconds(60)), .label("Read")] {
            #expect(try outcome(interaction, .stopped) == .failure(.nothingRuns))
        }
    }

    @Test(
        "some time is added, and no more than a day of it at once",
        arguments: [
            (1, true), (86400, true), (-1, true), (0, false), (86401, false), (-86401, false),
            (Int64.min, false),
        ])
    func addedTime(seconds: Int64, isAllowed: Bool) throws {
        let outcome = try outcome(.addTime(.seconds(seconds)), .running)
        let adjust = Action.adjust(Scene.running.run, ordinal: 0, seconds: seconds, at: nil)
        #expect(outcome == (isAllowed ? .success([adjust]) : .failure(.timeOutOfRange)))
    }

    @Test(
        "a setting is changed in its range only and written only where it changes, and a device is named with its key",
        arguments: Scene.allCases)
    func set(scene: Scene) throws {
        let set = Action.set(key: "workLength", value: 3000)
        #expect(try outcome(.set(.workLength, 3000), scene) == .success([set]))
        #expect(try outcome(.set(.workLength, 1500), scene) == .success([]))
        for value in [0, 86401, Int64.min] {
            #expect(
                try outcome(.set(.workLength, value), scene) == .failure(.settingOutOfRange(.workLength)))
        }
        #expect(try outcome(.nameDevice("desk"), scene) == .success([.device(name: "desk", key: nil)]))
        let key = Digest(InlineArray(repeating: 0xAB))
        #expect(
            try scene.log.actions(.nameDevice("desk"), at: scene.now, key: key)
                == [.device(name: "desk", key: key.hexadecimal)])
    }

    @Test("a start says which run was the last, and whether the device was offline")
    func startAfter() throws {
        var log = LogScript()
        let first = log.start(0, by: .b)
        log.stop(first, minutes(1), by: .b)
        #expect(
            try log.actions(.start(label: nil), at: minutes(2), offline: true)
                == [.start(.init(after: first, offline: true))])
    }
}
