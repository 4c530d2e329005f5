import FocusContact
import FocusCore
import FocusFront
import FocusLink
import FocusNet
import FocusStore
import Testing

@Suite("The agent's log in words")
struct AgentLogWordsTests {
    private struct Broken: Error, CustomStringConvertible {
        let description = "it broke"
    }

    private static let table: [(AgentLogEvent, String)] = [
        (.started(process: 7), "started, process 7"),
        (.startedServer(process: 8), "started the server that this laptop shares, process 8"),
        (
            .cannotStartServer(.notShared),
            "the server that this laptop shares can't be started: This laptop doesn't share. 'focus share' begins that."
        ),
        (
            .serverEndedSoon(messages: "/a/focusd.log"),
            "the server that this laptop shares ended soon after its start, and is started again within a minute; /a/focusd.log says why"
        ),
        (.lockRecreated, "the lock file was deleted, and was made again"),
        (.socketRecreated, "the socket was deleted, and was made again"),
        (.cannotServe(.lockGone), "the lock is gone, and another agent may run"),
        (.cannotServe(.logGone), "the log is gone"),
        (.cannotServe(.socketGone(Broken())), "the socket is gone: it broke"),
        (.agent(.stopping), "stopping"), (.failed(Broken()), "error: it broke"),
        (.agent(.woke), "woke"), (.agent(.connected), "connected"),
        (.agent(.failed(StoreError(.busy, "it broke"))), "error: it broke"),
        (
            .agent(.offline(.unreachable(.noAddress))),
            "offline: The server can't be reached: no address is known."
        ),
        (
            .agent(.offline(.broken(.closedByServer))),
            "offline: The connection to the server broke: the server closed the connection."
        ),
        (.caughtUp(written: 1), "caught up, and wrote 1 event"),
        (.caughtUp(written: 2), "caught up, and wrote 2 events"),
        (.notifies, "notifications are shown again"),
        (.servesPage(port: 80), "the page is served at port 80"),
        (.cannotServePage(Broken()), "the page isn't served: it broke"),
        (
            .noNotifications(.ended(program: "notify-send", .exited(1))),
            "notifications can't be shown: notify-send ended with status 1"
        ),
        (
            .noNotifications(.notStarted(NetError(.refused, "starting notify-send: no such file"))),
            "notifications can't be shown: starting notify-send: no such file"
        ),
        (.hook(.crowdedOut(.start)), "hook start: not run, because too many others wait"),
        (.hook(.refused(.phaseEnd, .noFile("/a"))), "hook phase-end: not run: /a isn't a file"),
        (
            .hook(.refused(.start, .changeable("/a"))),
            "hook start: not run: /a can be changed by others; 'chmod go-w' and 'chown' fix that"
        ),
        (
            .hook(.refused(.start, .notExecutable("/a"))),
            "hook start: not run: /a can't be run; 'chmod u+x' fixes that"
        ),
        (
            .hook(.notStarted(path: "/a", NetError(.refused, "starting /a: no such file"))),
            "hook /a: starting /a: no such file. Its first line must name a program, such as #!/bin/sh"
        ),
        (.hook(.ended(path: "/a", .exited(1))), "hook /a: ended with status 1"),
        (.hook(.ended(path: "/a", .signalled(9))), "hook /a: ended by signal 9"),
        (
            .hook(.ended(path: "/a", .exited(127))),
            "hook /a: ended with status 127, which usually means that a program is missing: one that it calls, or the one in its first line, such as #!/bin/sh"
        ),
        (
            .hook(.tookTooLong(path: "/a", .seconds(10))), "hook /a: took longer than 10 s, and was ended"
        ),
    ]

    @Test("what happens has its line", arguments: table)
    func lines(event: AgentLogEvent, line: String) { #expect(event.line == line) }
}
