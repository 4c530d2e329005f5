import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("A server under a supervisor, as systemd is one")
    struct SupervisionTests {
        @Test("it says when it can be used, how it stands, and that it ends") func notices() throws {
            try World.with { world in
                let supervisor = try NotifySocket(in: world.folder)
                world.server.supervision = ["NOTIFY_SOCKET": supervisor.path, "WATCHDOG_USEC": "1000000"]
                try world.server.begin()
                #expect(
                    try supervisor.next() == [
                        "READY=1", "STATUS=Serving 0 groups with 0 devices, 0 connections now.", "WATCHDOG=1",
                    ])
                // A server that reports to be ready can be used.
                try world.join("laptop")
                try supervisor.waitFor("STATUS=Serving 1 group with 1 device, 1 connection now.")

                let process = try #require(world.server.process)
                process.signal(SIGTERM)
                try supervisor.waitFor("STOPPING=1")
                #expect(try process.wait().status == 0)
            }
        }

        @Test("a watchdog hears from it well within the time it waits, and hears nothing while it is stuck")
        func watchdog() throws {
            try World.with { world in
                let supervisor = try NotifySocket(in: world.folder)
                world.server.supervision = [
                    "NOTIFY_SOCKET": supervisor.path, "WATCHDOG_USEC": "400000",
                ]
                try world.server.start()
                let process = try #require(world.server.process)
                let began = ContinuousClock.now
                for _ in 0..<4 { #expect(try supervisor.next().contains("WATCHDOG=1")) }
                // The first notice arrives at once, and each other one after half of the watchdog's time.
                #expect(ContinuousClock.now - began >= .milliseconds(500))

                process.signal(SIGSTOP)
                try eventually("it stands still") {
                    try String(contentsOfFile: "/proc/\(process.process)/stat", encoding: .utf8).contains(
                        ") T ")
                }
                try supervisor.forget()
                let stopped = ContinuousClock.now
                try eventually("twice the time is over") {
                    ContinuousClock.now - stopped > .milliseconds(800)
                }
                #expect(supervisor.isSilent)
                process.signal(SIGCONT)
                try supervisor.waitFor("WATCHDOG=1")
            }
        }

        @Test(
            "at a socket that it is handed, whatever the setting says, who connected before it ran is served, and a restart turns nobody away"
        )
        func socket() throws {
            try World.with { world in
                let port = try freePort()
                guard let socket = LoopbackSocket(listeningAt: port) else { throw Unmet("the port is free") }
                world.server.stand(at: port, behind: port)
                world.server.handedOver = socket.descriptor
                world.server.supervision = ["FOCUSD_LISTEN": "127.0.0.1:1"]
                guard let early = LoopbackSocket(connectedTo: port) else { throw Unmet("it can be reached") }
                try world.server.start()
                #expect(try world.server.logLines("level=warning event=listen-passed-over").count == 1)
                #expect(
                    try #require(world.server.process).output == "focusd is ready at 127.0.0.1:\(port).\n")
                // The server accepts the waiting connection and ends it, because it isn't TLS.
                #expect(try early.isHungUp(after: "GET / HTTP/1.1\r\n\r\n"))

                for name in ["one", "two"] { try world.join(name) }
                try world.laptops[0].press("start")
                try world.agree()
                try world.server.stop()
                guard let waiting = LoopbackSocket(connectedTo: port) else {
                    throw Unmet("it can be reached")
                }
                try world.server.start()
                #expect(try waiting.isHungUp(after: "GET / HTTP/1.1\r\n\r\n"))
                try world.laptops[1].press("pause")
                try world.agree()
            }
        }

        @Test("what it is handed in place of a listening socket is named, and it doesn't start")
        func otherDescriptor() throws {
            try World.with { world in
                let port = try freePort()
                world.server.stand(at: port, behind: port)
                let file = try #require(FileHandle(forReadingAtPath: "/dev/null"))
                world.server.handedOver = file.fileDescriptor
                try world.server.begin()
                let outcome = try #require(world.server.process).wait()
                #expect(outcome.status == 1)
                #expect(
                    outcome.messages.contains(
                        "Descriptor 3, which was handed over to listen on, is no socket."),
                    "\(outcome.messages)")
            }
        }
    }
}
