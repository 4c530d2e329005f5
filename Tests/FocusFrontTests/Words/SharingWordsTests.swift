import CommandLineKit
import FocusContact
import FocusFront
import FocusLink
import FocusSync
import SystemKit
import Testing

@Suite("Sharing in words")
struct SharingWordsTests {
    @Test(
        "each failure says what to do",
        arguments: [
            (.noServerProgram, "lockstep-focusd"), (.otherServer(["a.example", "b"]), "at a.example, b."),
            (.away(["a.example"]), "at a.example: it moved there"), (.noPort, "7853"),
            (.mayHaveMoved, "in a terminal asks"),
            (.system(SystemError("x can't be written", code: 28)), "x can't be written"),
            (
                .failed(command: "focusd init", ProgramResult(status: 1, text: "it\nbroke\n")),
                "'focusd init' failed: it broke."
            ),
            (
                .failed(command: "focusd init", ProgramResult(status: 7, text: "")),
                "'focusd init' failed: it ended with status 7."
            ),
            (
                .failed(command: "focusd init", ProgramResult(status: 137, text: "", hasTimedOut: true)),
                "'focusd init' failed: it didn't end in time, and was killed."
            ),
            (.notReady(log: "/d/focusd.log"), "/d/focusd.log says why"),
            (.notReady(log: nil), "journalctl --user -u focus-server.service"), (.stillRuns, "Try again"),
            (.unknownPort, "'focus share --stop' ends it"),
            (.foreignUnit("/u"), "/u was not written by 'focus share'"),
            (.notShared, "'focus share' begins that"), (.stopped, "'focus share' continues that"),
            (.portInUse(7853), "Port 7853 is in use by another program"),
            (.unknownHost("looking up a: no such host name"), "looking up a: no such host name."),
            (.ownHost("localhost"), "localhost leads to this laptop only"),
        ] as [(SharingFailure, String)])
    func failures(failure: SharingFailure, words: String) {
        #expect(failure.sentence.contains(words))
        #expect(GroupOperationError(.sharing(failure)).asCommandFailure().message == failure.sentence)
    }

    @Test(
        "each problem names the command that removes it",
        arguments: [
            (.noNetwork, "Connect it"), (.noAnswer(host: "192.0.2.7", port: 7853), "192.0.2.7, port 7853"),
            (.firewall(.ufw, port: 7853), "sudo ufw allow 7853/tcp"),
            (
                .firewall(.firewalld, port: 7856),
                "sudo firewall-cmd --add-port=7856/tcp --permanent && sudo firewall-cmd --reload"
            ),
        ] as [(SharingProblem, String)])
    func problems(problem: SharingProblem, words: String) {
        #expect(problem.sentence.contains(words))
    }

    @Test(
        "if nothing is known to keep others out, a firewall that can't be found is mentioned with the port",
        arguments: [[], [SharingProblem.firewall(.ufw, port: 7856)]])
    func otherFirewalls(problems: [SharingProblem]) {
        let shared = SharedInvite(
            invite: PublishedInvite(text: "x", notices: []), port: 7856, joined: nil, problems: problems,
            isNewGroupOnFormerServer: false)
        let names = shared.sentences.contains {
            $0.hasSuffix("rules of nftables, it has to let in TCP port 7856.")
        }
        #expect(names == problems.isEmpty)
    }

    @Test("after sharing was ended the log is complete only if the laptop could sync before")
    func stopped() {
        func said(_ sync: Result<Void, GroupOperationError>?) -> String {
            SharingText.stopped(SharingEnd(data: "/d/server", .inside(sync: sync))).joined(separator: " ")
        }
        #expect(said(.success(())).contains("Its log is complete."))
        let full = said(.failure(GroupOperationError(.unsent(.stopped(.groupFull)))))
        #expect(full.contains("The group's log has reached the server's limit"))
        #expect(![said(nil), full].contains { $0.contains("complete") })
        #expect(said(nil).contains("/d/server"))
    }

    @Test("ending to share says where the laptops connect after a move, and a lone laptop hears of no others")
    func stoppedAfterMove() {
        func said(_ move: SharingEnd.Move?, isAlone: Bool = false) -> String {
            let end = SharingEnd(data: "/d/server", .inside(sync: nil, move: move, isAlone: isAlone))
            return SharingText.stopped(end).joined(separator: " ")
        }
        let moved = said(.complete(at: "a.example:7990"))
        #expect(moved.contains("The group's server is at a.example:7990 now"))
        #expect(!moved.contains("offline") && !moved.contains("'focus share'"))
        #expect(said(.waiting).contains("To stay with this laptop after all: 'focus share --move auto'"))
        #expect(said(nil).contains("the others then connect again"))
        #expect(!said(nil, isAlone: true).contains("others"))
        #expect(!said(nil, isAlone: true).contains("other laptops"))
    }

    @Test("a laptop that has left its group hears that sharing doesn't lead back into it")
    func left() {
        let end = SharingEnd(data: "/d/server", .outside(isMoving: false))
        #expect(SharingText.stopped(end)[1].contains("brings a new group of this laptop"))
        let moving = SharingEnd(data: "/d/server", .outside(isMoving: true))
        #expect(SharingText.stopped(moving)[0].contains("connect at the new address"))
        #expect(SharingText.stopped(moving)[1].contains("makes another server"))
        for isNew in [false, true] {
            let shared = SharedInvite(
                invite: PublishedInvite(text: "x", notices: []), port: 7853, joined: nil, problems: [],
                isNewGroupOnFormerServer: isNew)
            let news = shared.sentences.first { $0.hasPrefix("That is a new group") }
            #expect((news != nil) == isNew)
            #expect(news?.contains("If none is") ?? true)
            #expect(news?.hasSuffix(": FOCUS_HOME=COPY focus export | focus import -") ?? true)
        }
    }

    @Test("a move names the command for the new server, and quotes the backup's path")
    func moving() {
        let lines = SharingText.moving(to: "focus.example.org:443", "/my data/server.backup")
        #expect(lines[0].contains("focus.example.org:443"))
        #expect(lines[1].contains("ssh root@focus.example.org '"))
        #expect(lines[1].contains("<'/my data/server.backup'"))
        #expect(lines.last?.hasSuffix("focus share --move auto") == true)
    }
}
