import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("A laptop that is the server")
    struct SharingTests {
        /// Shares from this laptop, and returns the invite.
        private func share(_ laptop: Laptop) throws -> String {
            try laptop.press("share", "--name", laptop.name).split(separator: "\n").last.map(String.init)
                ?? ""
        }

        /// The id of the process of the server on this laptop.
        private func server(_ laptop: Laptop) throws -> pid_t? {
            let notes = try String(contentsOfFile: "\(laptop.home)/server/focusd.lock", encoding: .utf8)
            let lines = notes.split(separator: "\n", omittingEmptySubsequences: false)
            return lines.count > 3 ? pid_t(lines[3]) : nil
        }

        @Test(
            "two laptops share after two commands, go on by themselves when it is ended, and agree when it continues"
        )
        func sharing() throws {
            try World.with { world in
                let (desk, sofa) = (world.laptop("desk"), world.laptop("sofa"))
                try desk.press("start", "Before sharing")
                try desk.press("stop")
                try sofa.join(try share(desk))
                try desk.startAgent()
                try sofa.startAgent()
                try sofa.press("start", "Together")
                #expect(try world.agree().contains { $0.contains("Before sharing") })
                #expect(try desk.status().label == "Together")

                // Again it only makes an invite, also if the record of sharing is lost meanwhile.
                try FileManager.default.removeItem(atPath: "\(desk.home)/sharing")
                let third = world.laptop("third")
                let used = try share(desk)
                try third.join(used)

                #expect(try third.run("join", used).output.contains("in that group already"))
                #expect(try desk.devices().count == 3)
                try third.startAgent()
                try world.agree()

                try eventually("it knows who has the server") {
                    try sofa.run("devices").output.contains("the server")
                }
                let data = "\(desk.home)/server"
                #expect(try desk.press("share", "--stop").contains("no longer shares"))
                #expect(FileManager.default.fileExists(atPath: "\(data)/identity.pem"))
                let again = try desk.run("share", "--stop")
                #expect(again.status == 3)
                try eventually("the others are offline") { try !sofa.isOnline && !third.isOnline }
                try eventually("they say so") { try sofa.run("status").messages.contains("Offline since") }
                #expect(try !sofa.run("devices").output.contains("the server"))
                try sofa.press("label", "Alone")
                try desk.press("add", "3m")

                _ = try share(desk)
                try eventually("all are back") { try desk.isOnline && sofa.isOnline && third.isOnline }
                #expect(try world.agree().contains { $0.contains("Alone") })
                try desk.press("share", "--stop")
            }
        }

        @Test("the agent starts the server again if it dies")
        func restarting() throws {
            try World.with { world in
                let (desk, sofa) = (world.laptop("desk"), world.laptop("sofa"))
                try sofa.join(try share(desk))
                try desk.startAgent()
                try sofa.startAgent()
                // While something runs, the agent looks more often.
                try sofa.press("start", "Before the crash")
                try world.agree()
                let former = try #require(try server(desk))
                kill(former, SIGKILL)
                try eventually("another server runs") {
                    guard let present = try server(desk) else { return false }
                    return present != former && kill(present, 0) == 0
                }
                try eventually("both are back") { try desk.isOnline && sofa.isOnline }
                try sofa.press("label", "After the crash")
                try world.agree()
                try desk.press("share", "--stop")
            }
        }

        @Test("a shared group moves to a server of its own in three commands, and nobody joins again")
        func moving() throws {
            try World.with { world in
                let (desk, sofa) = (world.laptop("desk"), world.laptop("sofa"))
                try sofa.join(try share(desk))
                try desk.startAgent()
                try sofa.startAgent()
                try sofa.press("start", "Before the move")
                try world.agree()

                // The server's test object has its own folder and a port of its own.
                let server = world.server
                let port = try freePort()
                server.stand(at: port, behind: port)
                let backup = "\(desk.home)/server.backup"
                // A move to an address of this machine only is refused. So it names one of a network that
                // nobody has, and `focusd init` then sets the address of the test's server.
                #expect(try desk.run("share", "--move", "127.0.0.1").status != 0)
                #expect(try desk.press("share", "--move", "192.0.2.1").contains("192.0.2.1"))
                try Server("desk/server", in: world.folder).runSuccessfully([
                    "init", "--address", server.address,
                ])
                try eventually("the laptops know the new address") {
                    try [desk, sofa].allSatisfy { try $0.press("doctor", "--json").contains(server.address) }
                }
                try server.restore(backup)
                #expect(try server.runSuccessfully(["status"]).output.contains("Invites name 192.0.2.1."))
                try server.runSuccessfully(["init", "--address", server.address])
                try server.start()
                #expect(try desk.press("share", "--stop").contains("The group's server is at"))
                #expect(try desk.run("share").status == 3, "the server isn't here any more")
                #expect(try desk.run("share", "--move", "auto").status == 3)
                try eventually("both are at the new server") { try desk.isOnline && sofa.isOnline }
                try sofa.press("label", "After the move")
                try desk.press("add", "3m")
                try world.agree()
                #expect(try server.devices().count == 2)
                let new = world.laptop("new")
                try new.join(try sofa.invite())
                try new.startAgent()
                try world.agree()
            }
        }

        @Test("a server that gets another name tells its laptops, and none joins again")
        func renaming() throws {
            try World.with(["work", "home"]) { world in
                let (server, laptops) = (world.server, world.laptops)
                // The old address leads to the server too, until the laptops have heard of the new one.
                let former = server.address
                let new = former.replacing("127.0.0.1", with: "localhost")
                try server.runSuccessfully(["init", "--address", new])
                for laptop in laptops {
                    try eventually("\(laptop.name) knows the new address") {
                        try laptop.press("doctor", "--json").contains(new)
                    }
                }
                let other = world.laptop("other")
                try other.join(try laptops[0].invite())
                try other.startAgent()
                try laptops[0].press("start", "Under another name")
                try world.agree()
            }
        }
    }
}
