import Glibc
import IntegrationSupport
import TestSupport
import Testing

extension FaultTests {
    @Suite(
        "A server's files that its user may not use",
        .enabled(if: OrdinaryUser.canRunPrograms, "needs a user without rights who can run what was built"))
    struct ServerPermissionTests {
        /// A file of the server, the mode that it gets, and the file that the message names if it is another.
        struct Loss: CustomTestStringConvertible, Sendable {
            let file: String
            let mode: mode_t
            var named: String?
            var testDescription: String {
                "\(file.isEmpty ? "the folder" : file) with mode \(String(mode, radix: 8))"
            }
        }

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
                let path = loss.file.isEmpty ? server.data : "\(server.data)/\(loss.file)"
                try withMode(loss.mode, path) {
                    try server.begin()
                    let outcome = try #require(server.process).wait()
                    #expect(outcome.status == 1)
                    let said = outcome.messages
                    #expect(said.contains("\(server.data)/\(loss.named ?? loss.file)"), "\(said)")
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
