import FocusText
import Glibc

/// A way to stay in a group, or to come back into it, past being shut out. The programs are those that everybody has.
enum Evasion: String, CaseIterable {
    /// A second key that is let in, and shows itself only once the first one was shut out.
    case asleep
    /// Leaving for another group of the same server with an invite open, and being shut out then.
    case leaving

    /// Tries it on a server of its own, and says how far it gets.
    func attempt(_ report: inout Report, _ programs: Programs) throws {
        let scene = try EvasionScene(programs)
        switch self {
        case .asleep: try sleep(scene, &report)
        case .leaving: try leave(scene, &report)
        }
    }

    private func sleep(_ scene: EvasionScene, _ report: inout Report) throws {
        try scene.letIn("thief")
        try scene.letInAsleep("sleeper")
        try scene.focus("owner", "devices", "revoke", "thief", "--only", "--yes")
        try scene.focus("owner", "start", "After")
        // It shows itself, is seen, and asks for what there is.
        for laptop in ["sleeper", "owner", "sleeper"] { try scene.focus(laptop, "sync") }
        let log = try scene.focus("sleeper", "export")
        report.hold(
            "a key kept asleep: reads nothing of what is pressed after the revocation",
            !log.contains("After"),
            "it does")
        let devices = try scene.focus("owner", "devices")
        report.hold(
            "a key kept asleep: is shown, and waits", devices.contains("sleeper  waits to be accepted"),
            devices)
    }

    private func leave(_ scene: EvasionScene, _ report: inout Report) throws {
        try scene.letIn("thief")
        let open = Scratch.lastLine(try scene.focus("thief", "invite"))
        try scene.focus("thief", "leave", "--yes")
        try scene.bringGroup("other")
        try scene.letIn("thief", by: "other")
        try scene.focus("owner", "sync")
        report.hold(
            "leaving and coming back: who left is shut out all the same",
            try scene.status("owner", "devices", "revoke", "thief", "--yes") == 0, "that is refused")
        try scene.focus("owner", "start", "After")
        report.hold(
            "leaving and coming back: the invite that was open lets nobody in",
            try scene.status("again", "join", open) == 5, "it does, or isn't refused")
    }
}

/// A server, and a laptop that has brought a group to it; no agent runs.
private struct EvasionScene {
    private let programs: Programs
    private let scratch: Scratch
    private static let patience = Duration.seconds(60)

    init(_ programs: Programs) throws {
        self.programs = programs
        scratch = try Scratch(programs)
        try scratch.startServer()
        try bringGroup("owner")
    }

    /// Runs `focus` on a laptop, and gives what it prints.
    @discardableResult
    func focus(_ laptop: String, _ words: String...) throws -> String {
        try programs.run(programs.focus, words, home: home(laptop), startsAgent: false)
    }

    /// The exit status of `focus` on a laptop; nil where it goes on and on.
    func status(_ laptop: String, _ words: String...) throws -> Int32? {
        programs.wait(
            try programs.start(programs.focus, words, home: home(laptop), startsAgent: false),
            atMost: EvasionScene.patience)
    }

    func bringGroup(_ laptop: String) throws {
        try focus(laptop, "join", scratch.serverInvite(), "--name", laptop)
    }

    func letIn(_ laptop: String, by member: String = "owner") throws {
        try focus(laptop, "join", Scratch.lastLine(focus(member, "invite")), "--name", laptop)
    }

    /// Lets a laptop in that shows itself to no other: its group has no room for what says who it is.
    func letInAsleep(_ laptop: String) throws {
        let invite = Scratch.lastLine(try focus("owner", "invite"))
        guard case .array(let groups)? = try focusd("groups", "--json")["groups"], let group = groups.first,
            let id = group["id"]?.text, let events = group["events"]?.number
        else { throw Programs.Failed(description: "there is no group") }
        try setQuota(id, "\(events)")
        let joining = try programs.start(
            programs.focus, ["join", invite, "--name", laptop], home: home(laptop), startsAgent: false)
        let end = ContinuousClock.now + EvasionScene.patience
        while try JSON(parsing: focus(laptop, "status", "--json").utf8)["group"]?.text == nil {
            guard ContinuousClock.now < end else {
                throw Programs.Failed(description: "\(laptop) isn't let in")
            }
            poll(nil, 0, 20)
        }
        kill(joining, SIGKILL)
        programs.wait(joining)
        try setQuota(id, "default")
    }

    private func setQuota(_ group: String, _ events: String) throws {
        try programs.run(
            programs.focusd, ["groups", "quota", group, "--events", events, "--data", scratch.serverData])
    }

    private func focusd(_ words: String...) throws -> JSON {
        try JSON(parsing: programs.run(programs.focusd, words + ["--data", scratch.serverData]).utf8)
    }

    private func home(_ laptop: String) -> String { "\(scratch.path)/\(laptop)" }
}
