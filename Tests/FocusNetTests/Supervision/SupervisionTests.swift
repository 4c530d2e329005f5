import FocusNet
import Testing

@Suite("Variables of a supervisor")
struct SupervisionTests {
    private func supervision(_ variables: [String: String]) throws(NetError) -> Supervision {
        try Supervision(environment: { variables[$0] }, process: 77)
    }

    @Test("where nobody says anything, nobody is told anything") func nothing() throws {
        for variables in [
            [:], ["NOTIFY_SOCKET": "", "WATCHDOG_USEC": "", "LISTEN_FDS": "", "LISTEN_PID": "77"],
        ] {
            let supervision = try supervision(variables)
            #expect(supervision.notifyAddress == nil && supervision.watchdog == nil)
            #expect(supervision.sockets == [])
        }
    }

    @Test("what systemd says is understood") func all() throws {
        let supervision = try supervision([
            "NOTIFY_SOCKET": "/run/systemd/notify", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "77",
            "LISTEN_FDS": "2", "LISTEN_PID": "77", "LISTEN_FDNAMES": "a:b",
        ])
        #expect(supervision.notifyAddress == "/run/systemd/notify")
        #expect(supervision.watchdog == .seconds(30))
        #expect(supervision.sockets == [3, 4])
    }

    @Test("a watchdog that names no process watches whoever sees it; sockets name theirs") func unnamed()
        throws
    {
        let supervision = try supervision(["WATCHDOG_USEC": "1", "LISTEN_FDS": "1"])
        #expect(supervision.watchdog == .microseconds(1))
        #expect(supervision.sockets == [])
    }

    @Test("what is meant for another process is passed over, whatever it says") func others() throws {
        let supervision = try supervision([
            "WATCHDOG_USEC": "soon", "WATCHDOG_PID": "78", "LISTEN_FDS": "many", "LISTEN_PID": "78",
        ])
        #expect(supervision.watchdog == nil && supervision.sockets == [])
    }

    @Test(
        "what can't be is refused, by name",
        arguments: [
            ("NOTIFY_SOCKET", "notify"), ("NOTIFY_SOCKET", "/"), ("NOTIFY_SOCKET", "vsock:2:1"),
            ("WATCHDOG_USEC", "0"), ("WATCHDOG_USEC", "-1"), ("WATCHDOG_USEC", "1s"),
            ("WATCHDOG_USEC", "99999999999999999999"), ("LISTEN_FDS", "-1"), ("LISTEN_FDS", "65"),
            ("LISTEN_FDS", "x"),
        ])
    func wrong(_ name: String, _ value: String) {
        do throws(NetError) {
            _ = try supervision([name: value, "LISTEN_PID": "77"])
            Issue.record("\(name)=\(value) was taken")
        } catch {
            #expect(error.code == .badAddress)
            #expect(error.context.hasPrefix("\(name) in the environment is '\(value)', which is not "))
        }
    }

    @Test("nobody at the other end is no error, and a path that is too long for a socket is one")
    func nobody() throws {
        #expect(try !Supervisor(at: "/nowhere/notify").send([.ready]))
        #expect(throws: NetError.self) { try Supervisor(at: "/" + String(repeating: "x", count: 108)) }
    }
}
