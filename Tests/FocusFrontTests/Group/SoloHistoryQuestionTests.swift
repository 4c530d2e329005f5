import ClientSupport
import CommandLineKit
import FocusClient
import FocusCore
import FocusDevice
import FocusFront
import FocusSeal
import FocusStore
import TestSupport
import Testing

@Suite("The question whether what was recorded alone comes along")
struct SoloHistoryQuestionTests {
    private let home = TemporaryHome()

    private func laptop(_ replies: Reply...) -> TestContext {
        TestContext(home: home.path, replies: replies, now: 1_763_661_600_000)
    }

    /// Works for half an hour in all: two sessions on two days, one of them with a pause.
    private func work(_ laptop: TestContext) {
        laptop.play(
            ("start Write", 600), ("pause", 300), ("resume", 300), ("stop", 86_400), ("start Read", 900),
            ("stop", 0))
    }

    private static let joining = Invite.Kind.joinGroup(GroupMark(of: GroupID(high: 1, low: 2)))

    private func invite(_ kind: Invite.Kind = SoloHistoryQuestionTests.joining) throws -> Invite {
        let server = try #require(Digest(bytes: [UInt8](repeating: 9, count: 32)))
        return try Invite(
            kind: kind, addresses: ["focus.example.org"], server: ServerPin(server), secret: .random())
    }

    private func question(_ laptop: TestContext, _ kind: Invite.Kind = SoloHistoryQuestionTests.joining)
        throws
        -> SoloHistoryQuestion?
    {
        try SoloHistoryQuestion(invite(kind), .openForReading(laptop.machine))
    }

    private let asked =
        "Recorded here without a group: 30m of focus time in 2 sessions, the first on Thu 20 Nov 2025.\n"
        + "Take this history along into the group, where all members see it? [Y/n] "

    @Test(
        "says how much it is, and a plain Enter is a yes",
        arguments: [
            ("", .takeAlong), ("y", .takeAlong), (" YES ", .takeAlong), ("n", .leaveBehind),
            ("No", .leaveBehind),
        ] as [(String, SoloHistory.Choice)])
    func answers(line: String, choice: SoloHistory.Choice) throws {
        let laptop = laptop(.line(line))
        work(laptop)
        let before = laptop.run("export").output
        #expect(try question(laptop)?.choice(laptop.context.console) == choice)
        #expect(laptop.questions == [asked])
        #expect(laptop.run("export").output == before, "asking changes nothing")
    }

    @Test("is put again where the answer is neither") func unclear() throws {
        let laptop = laptop(.line("later"), .line("n"))
        work(laptop)
        #expect(try question(laptop)?.choice(laptop.context.console) == .leaveBehind)
        #expect(laptop.questions == [asked, asked])
        #expect(laptop.messages.hasSuffix("\nfocus: Type y or n; Ctrl-C cancels.\n"))
    }

    @Test("breaks off where the input ends") func ended() throws {
        let laptop = laptop(.ended)
        work(laptop)
        let question = try #require(try question(laptop))
        do throws(CommandFailure) {
            _ = try question.choice(laptop.context.console)
            Issue.record("an end was taken for an answer")
        } catch {
            #expect(error.status == .notNow)
            #expect(error.message == "Nothing was changed: this laptop is still in no group.")
        }
    }

    @Test("is a no where nobody sits there to be asked") func nobody() throws {
        let laptop = laptop()
        work(laptop)
        #expect(try question(laptop)?.choice(laptop.context.console) == .leaveBehind)
    }

    @Test("counts what is open in, and says that it ends", arguments: ["", "pause"]) func running(
        press: String
    ) throws {
        let laptop = laptop(.line(""))
        _ = laptop.run("start Write")
        laptop.pass(.seconds(10 * 60))
        if !press.isEmpty { _ = laptop.run([press]) }
        laptop.pass(.seconds(60))
        _ = try question(laptop)?.choice(laptop.context.console)
        let length = press.isEmpty ? "11m" : "10m"
        #expect(
            laptop.questions == [
                "Recorded here without a group: \(length) of focus time in 1 session, the first on Thu 20 Nov 2025.\n"
                    + "The session that is open now is part of that. Taken along, it goes on unless the group "
                    + "has one; left behind, it ends.\n"
                    + "Take this history along into the group, where all members see it? [Y/n] "
            ])
    }

    @Test("isn't put where there is nothing to take along, or a group to bring it with")
    func nothing() throws {
        let laptop = laptop(.line(""))
        #expect(try question(laptop) == nil)
        _ = laptop.run("set workLength=40m")
        #expect(try question(laptop) == nil)
        work(laptop)
        #expect(try question(laptop, .bringGroup) == nil)
        #expect(try question(laptop) != nil)
        try Device(laptop.machine).enterGroup()
        #expect(try question(laptop) == nil)
    }
}
