import Glibc
import IntegrationSupport
import TestSupport
import Testing

extension FaultTests {
    @Suite(
        "A server's files that its user may not use",
        .enabled(if: OrdinaryUser.canRunPrograms, "needs a user without rights who can run what was built"))
    struct ServerPermissionTests {
        static let losses = [
            Loss(file: "focusd.db", mode: 0), Loss(file: "focusd.db", mode: 0o400),
            Loss(file: "identity.pem", mode: 0), Loss(file: "focusd.lock", mode: 0),
            Loss(file: "", mode: 0, named: "focusd.conf"),
        ]

        @Test("what may not be used is named; once it may be, the server has all it had", arguments: losses)
        func named(loss: Loss) throws {
            try OrdinaryUser.with { world in
                let server = world.server
                try server.start()
                let laptop = world.ordinaryLaptop("work")
                try laptop.join(try server.invite())
                try laptop.press("start", "Work")
                try laptop.press("sync")
                let count = try server.eventCount()
                try server.stop()
                try loss.happens(in: server.data) { name in
                    try server.begin()
                    let outcome = try #require(server.process).wait()
                    #expect(outcome.status == 1)
                    let said = outcome.messages
                    #expect(said.contains(name), "\(said)")
                    #expect(said.contains("can't be opened"), "\(said)")
                    #expect(!outcome.output.contains("is ready"))
                }
                try server.start()
                #expect(try server.eventCount() == count)
                try laptop.press("sync")
            }
        }
    }
}
