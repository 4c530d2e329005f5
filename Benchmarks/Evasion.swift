import FocusText
import Glibc

/// An attempt to stay in a group or return to it despite a revocation, with the unmodified programs.
enum Evasion: String, CaseIterable {
    /// A person joins with two keys. The second key syncs for the first time after the first key was revoked.
    case asleep
    /// A laptop makes an invite, leaves for another group of the same server, and is revoked then. The invite
    /// is still open.
    case leaving

    /// Tries the evasion on a server of its own, and reports whether it fails as it should.
    func attempt(_ report: inout Report, _ programs: Programs) throws {
        let scene = try EvasionScene(programs)
        switch self {
        case .asleep: try sleep(scene, &report)
        case .leaving: try leave(scene, &report)
        }
    }

    private func sleep(_ scene: EvasionScene, _ report: inout Report) throws {
        try scene.join("thief")
        try scene.joinUnnoticed("sleeper")
        try scene.focus("owner", "devices", "revoke", "thief", "--only", "--yes")
        try scene.focus("owner", "start", "After")
        // The sleeper syncs, the owner sees it, and the sleeper asks for the new events.
        for laptop in ["sleeper", "owner", "sleeper"] { try scene.focus(laptop, "sync") }
        let log = try scene.focus("sleeper", "export")
        report.check(
            "a key kept asleep: can't read presses after the revocation",
            !log.contains("After"),
            "it does")
        let devices = try scene.focus("owner", "devices")
        report.check(
            "a key kept asleep: is shown, and waits", devices.contains("sleeper  waits to be accepted"),
            devices)
    }

    private func leave(_ scene: EvasionScene, _ report: inout Report) throws {
        try scene.join("thief")
        let open = Scratch.lastLine(try scene.focus("thief", "invite"))
        try scene.focus("thief", "leave", "--yes")
        try scene.bringGroup("other")
        try scene.join("thief", invitedBy: "other")
        try scene.focus("owner", "sync")
        report.check(
            "leaving and coming back: the laptop that left can still be shut out",
            try scene.status("owner", "devices", "revoke", "thief", "--yes") == 0, "that is refused")
        try scene.focus("owner", "start", "After")
        report.check(
            "leaving and coming back: the open invite lets nobody in",
            try scene.status("again", "join", open) == 5, "it does, or isn't refused")
    }
}

/// A server with one laptop that has brought a group to it; no agent runs.
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

    /// Runs `focus` on a laptop, and returns its output.
    @discardableResult
    func focus(_ laptop: String, _ words: String...) throws -> String {
        try programs.run(programs.focus, words, home: home(laptop), startsAgent: false)
    }

    /// Returns the exit status of `focus` on a laptop; nil if it runs longer than a minute.
    func status(_ laptop: String, _ words: String...) throws -> Int32? {
        programs.wait(
            try programs.start(programs.focus, words, home: home(laptop), startsAgent: false),
            atMost: EvasionScene.patience)
    }

    func bringGroup(_ laptop: String) throws {
        try focus(laptop, "join", scratch.serverInvite(), "--name", laptop)
    }

    func join(_ laptop: String, invitedBy member: String = "owner") throws {
        try focus(laptop, "join", Scratch.lastLine(focus(member, "invite")), "--name", laptop)
    }

    /// Lets a laptop join unnoticed by the others: the group's quota leaves no room for its `device` event.
    func joinUnnoticed(_ laptop: String) throws {
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
