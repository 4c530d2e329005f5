import FocusCore
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("A member of a group who means harm to it", .ends(within: .seconds(600)))
struct TraitorTests {
    /// A story of laptops in one group. One of them lets the traitor in.
    private func story(seed: UInt64 = 1, laptops: Int, outsiders: Set<Int> = []) -> Story {
        var story = Story(seed: seed, laptops: laptops, outsiders: outsiders)
        story.plan.traitorGroup = 0
        story.add(.presses(laptop: 0, .start("before")))
        story.wait(5)
        return story
    }

    /// Expects that the traitor was kept out, and that these laptops read a later press.
    private func expect(_ label: String, readBy laptops: ClosedRange<Int>, in world: World) throws {
        #expect(world.counts.keptOut > 0)
        try expectAgreement(on: [label], by: laptops, in: world)
    }

    /// Expects that these laptops can read the presses, and have the same newest key.
    private func expectAgreement(on texts: [String], by laptops: ClosedRange<Int>, in world: World) throws {
        for laptop in laptops {
            let labels = try world.events(of: laptop).map { "\($0.action)" }
            for text in texts { #expect(labels.contains { $0.contains(text) }, "laptop \(laptop)") }
        }
        let epochs = try laptops.map { try world.epochs(of: $0).last }
        #expect(Set(epochs).count == 1)
    }

    @Test(
        "an unused key of its own gets at nothing pressed after its revocation, however the key came in",
        arguments: [TraitorAction.listsKey, .letsKeyIn])
    func sleepingKey(_ way: TraitorAction) throws {
        var story = story(laptops: 3)
        story.add(.betray(way))
        story.wait(5)
        story.add(.findOut(laptop: 0))
        story.wait(10)
        story.add(.betray(.wakesKeys))
        story.wait(10)
        story.add(.presses(laptop: 1, .label("after")))
        story.wait(10)
        try expect("after", readBy: 0...2, in: story.run())
    }

    @Test(
        "a key that it lists at the moment of its revocation and uses later gets at nothing")
    func keyListedLate() throws {
        var story = story(laptops: 3)
        story.add(.cut(laptop: 0, up: false, down: false, for: 20_000_000))
        story.wait(1)
        story.add(.betray(.makesEpoch(for: [0, 1, 2], withItself: true, revokingItself: true)))
        story.wait(1)
        story.add(.betray(.letsKeyIn))
        story.add(.betray(.listsKey))
        story.wait(1)
        story.add(.betray(.makesEpoch(for: [0, 1, 2], withItself: true, revokingItself: true)))
        story.add(.findOut(laptop: 0))
        story.wait(40)
        story.add(.betray(.wakesKeys))
        story.wait(10)
        story.add(.presses(laptop: 1, .label("after")))
        story.wait(10)
        try expect("after", readBy: 0...2, in: story.run())
    }

    @Test("once it is shut out no invite that it made lets it in again") func comingByInvite() throws {
        var story = story(laptops: 3)
        for _ in 0..<3 { story.add(.betray(.makesInvite)) }
        story.wait(5)
        story.add(.findOut(laptop: 1))
        story.wait(10)
        for _ in 0..<3 {
            story.add(.betray(.comesByInvite))
            story.wait(2)
        }
        story.add(.presses(laptop: 0, .label("after")))
        story.wait(10)
        try expect("after", readBy: 0...2, in: story.run())
    }

    @Test("leaving before its revocation and returning afterwards gains it nothing") func leaving() throws {
        var story = story(laptops: 3)
        story.add(.betray(.makesInvite))
        story.add(.betray(.leaves))
        story.wait(5)
        story.add(.findOut(laptop: 1))
        story.wait(10)
        story.add(.betray(.returns))
        story.add(.betray(.comesByInvite))
        story.wait(5)
        story.add(.presses(laptop: 0, .label("after")))
        story.wait(10)
        try expect("after", readBy: 0...2, in: story.run())
    }

    @Test("whose part of a new epoch it spoils is with the others again before long") func spoiltPart() throws
    {
        var story = story(laptops: 4)
        story.add(.betray(.spoilsPart(of: 2)))
        story.wait(5)
        story.add(.presses(laptop: 1, .label("by another")))
        story.add(.presses(laptop: 2, .label("by itself")))
        story.wait(10)
        try expectAgreement(on: ["by another", "by itself"], by: 0...3, in: story.run())
    }

    @Test(
        "whatever epochs it makes, names or spoils, it is shut out of the key, and newcomers get in and read on",
        arguments: [
            [TraitorAction.namesEpochs], [.spoilsEpochs(80)],
            // An epoch only for a laptop that is away: nobody else can open it.
            [.makesEpoch(for: [2], withItself: true, revokingItself: true)],
            [.makesEpoch(for: [2], withItself: true, revokingItself: false)],
            // An epoch for all devices. Its record revokes the device that made it.
            [.makesEpoch(for: [0, 1, 2], withItself: true, revokingItself: true)],
            // Two epochs, each for some of the devices.
            [
                .makesEpoch(for: [0], withItself: true, revokingItself: false),
                .makesEpoch(for: [0], withItself: false, revokingItself: true),
            ],
            [.makesEpoch(for: [], withItself: true, revokingItself: false), .listsKey], [.takesItselfBack],
        ])
    func epochs(_ treacheries: [TraitorAction]) throws {
        var story = story(laptops: 4, outsiders: [3])
        story.add(.kill(laptop: 2, for: 400_000_000))
        story.wait(2)
        for treachery in treacheries {
            story.add(.betray(treachery))
            story.wait(1)
        }
        story.add(.findOut(laptop: 1))
        story.wait(90)
        story.add(.join(laptop: 3, by: 0))
        story.wait(10)
        story.add(.presses(laptop: 1, .label("after")))
        story.wait(10)
        try expect("after", readBy: 0...3, in: story.run())
    }

    /// Expects that a laptop that the traitor revokes is back in the group at the end.
    private func expectComingBack(seed: UInt64, toServerThatForgot isWiped: Bool) throws {
        var story = story(seed: seed, laptops: 3)
        story.add(.presses(laptop: 2, .label("mine")))
        story.wait(5)
        story.add(.betray(.shutsOut(laptop: 2)))
        story.wait(10)
        if isWiped {
            story.add(.wipeServer)
            story.wait(10)
        }
        story.add(.findOut(laptop: 0))
        story.wait(10)
        story.add(.presses(laptop: 1, .label("after")))
        story.wait(5)
        try expect("after", readBy: 0...2, in: story.run())
    }

    @Test(
        "a laptop that it shuts out comes back as another key, and has lost nothing",
        arguments: 1...6 as ClosedRange<UInt64>)
    func shuttingOut(seed: UInt64) throws {
        try expectComingBack(seed: seed, toServerThatForgot: false)
    }

    @Test(
        "a laptop that it shut out, and that a server has forgotten since, hears of it as it joins again, and comes back",
        arguments: 1...3 as ClosedRange<UInt64>)
    func shuttingOutOfAForgetfulServer(seed: UInt64) throws {
        try expectComingBack(seed: seed, toServerThatForgot: true)
    }

    @Test(
        "a laptop stays in, and names itself again at once, if the traitor writes as the laptop that it has no key",
        arguments: [false, true])
    func naming(isUnread: Bool) throws {
        var story = story(laptops: 3)
        // The traitor names the laptop in an event under a key that it has made without that laptop.
        if isUnread {
            story.add(.betray(.makesEpoch(for: [1, 2], withItself: true, revokingItself: false)))
            story.wait(1)
        }
        story.add(.betray(.names(laptop: 0)))
        story.wait(5)
        story.add(.findOut(laptop: 1))
        story.wait(15)
        // The key was made for all three, although the named laptop has pressed nothing.
        story.add(.presses(laptop: 1, .label("after")))
        story.wait(5)
        try expect("after", readBy: 0...2, in: story.run())
    }

    @Test(
        "presses under a key that only it and a laptop that it revoked have reach nobody, and all agree"
    )
    func keyForOneShutOut() throws {
        var story = story(laptops: 3)
        for laptop in [0, 1] { story.add(.kill(laptop: laptop, for: 120_000_000)) }
        story.wait(1)
        // The traitor revokes the laptop in the log. Only the revoked laptop itself tells the server of this
        // revocation.
        story.add(.betray(.shutsOut(laptop: 2)))
        story.wait(1)
        story.add(.betray(.makesEpoch(for: [2], withItself: true, revokingItself: false)))
        story.wait(10)
        story.add(.presses(laptop: 2, .label("for itself")))
        story.wait(5)
        // The traitor revokes the laptop at the server too.
        story.add(.betray(.shutsOut(laptop: 2)))
        story.wait(5)
        story.add(.findOut(laptop: 2))
        let world = try story.run()
        #expect(try world.sealedEvents(of: 0) == 0)
        #expect(try !world.events(of: 0).contains { "\($0.action)".contains("for itself") })
        #expect(try Set((0...2).map { try world.epochs(of: $0).last }).count == 1)
    }

    @Test(
        "whatever it does, the group's laptops agree, read each other, and lose nothing",
        arguments: 1...4 as ClosedRange<UInt64>)
    func harm(seed: UInt64) throws {
        var story = story(seed: seed, laptops: 4, outsiders: [3])
        var dice = SeededGenerator(seed: seed)
        for round in 0..<40 {
            story.plan.steps.append(Step(story.time, .betray(.anything), seed: dice.next()))
            story.wait(1)
            if round == 15 { story.add(.join(laptop: 3, by: 0)) }
            if round == 20 { story.add(.killServer(for: 1_000_000)) }
            if round == 30 { story.add(.findOut(laptop: 0)) }
            for laptop in [0, 1, 2] { story.add(.presses(laptop: laptop, .label("round \(round)"))) }
            story.wait(1)
        }
        let world = try story.run()
        #expect(world.counts.betrayed > 20)
        #expect(world.counts.keptOut > 0)
    }
}
