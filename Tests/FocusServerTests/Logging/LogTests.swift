import FocusCore
import FocusServerStore
import TestSupport
import Testing

@testable import FocusServer
@testable import FocusServerCore

@Suite struct LogTests {
    @Test("a line is one line of key=value, whatever the values are") func line() {
        let line = LogLine.text(
            .warning, "refused",
            ["device": "0123abcd", "reason": "a \"b\"\nc=d\u{7}", "empty": "", "peer": "a\u{9B}b\u{202E}"]
                as KeyValuePairs,
            time: SharedInstant(milliseconds: 1_763_661_600_250))
        #expect(
            line
                == "time=2025-11-20T18:00:00.250Z level=warning event=refused device=0123abcd "
                + #"reason="a \"b\"\nc=d\#u{FFFD}" empty="" peer=a\#u{FFFD}b\#u{FFFD}"# + "\n")
    }

    private static let values: [(LogValue, String)] = [
        ("a\(1)", "a1"), (.clock(.behind(by: .seconds(180))), "is 180 s behind the time served before"),
        (.clock(.jumped(by: .seconds(-180))), "has jumped back by 180 s"),
        (
            .remedy(.setClock),
            "set the clock right, or if it is right now, accept it (focusd clock accept --data '/srv/my focusd')"
        ),
        (.remedy(.restoreBackup), "restore a backup"),
        (.remedy(.restoreKey), "restore the file; this server goes on with its key"),
        (.remedy(.freePort), "free the port, or set 'metrics' to another address, or to off"),
        (.remedy(.installLibrary), "install it and restart the server, or set 'metrics' to off"),
        (
            .remedy(.installPage),
            "put the page's files into that folder, or name theirs in 'web-files', and restart the server"
        ),
        (
            .remedy(.raiseOpenFiles),
            "raise its limit of open files: LimitNOFILE in its systemd unit, or 'ulimit -n' before it starts"
        ),
        (.remedy(.freeMemory), "free memory and open files on this machine"),
        (.remedy(.changeProgram), "install the focusd that knows that version, and start it"),
        (
            .remedy(.nameProxies),
            "name only the proxies' own addresses: a client at one of them can claim any address"
        ),
        (.remedy(.settleSocketUnit), "name the address in the socket unit, or disable that unit"),
    ]

    @Test("what is said of an event has its words", arguments: values)
    func words(value: LogValue, words: String) {
        #expect(value.words(DataFolder(path: "/srv/my focusd")) == words)
    }
}
