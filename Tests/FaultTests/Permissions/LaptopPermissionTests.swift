import Glibc
import IntegrationSupport
import TestSupport
import Testing

extension FaultTests {
    @Suite(
        "A laptop's files that its user may not use",
        .enabled(if: OrdinaryUser.canRunPrograms, "needs a user without rights who can run what was built"))
    struct LaptopPermissionTests {
        static let losses = [
            Loss(
                file: "log.db", mode: 0,
                fails: [["start"], ["status"], ["log"], ["export"], ["agent", "run"]]),
            Loss(
                file: "log.db", mode: 0o400, fails: [["start"], ["label", "X"], ["set", "workLength=20m"]]),
            Loss(file: "", mode: 0o500, fails: [["agent", "run"]], named: "agent.lock"),
            Loss(file: "", mode: 0, fails: [["start"], ["status"], ["sync"]], named: "log.db"),
            Loss(file: "identity.pem", mode: 0, fails: [["sync"]]),
        ]

        @Test("what may not be used is named, and once it may be again nothing is lost", arguments: losses)
        func named(loss: Loss) throws {
            try OrdinaryUser.with { world in
                try world.server.start()
                let laptop = world.ordinaryLaptop("work")
                try laptop.join(try world.server.invite())
                try laptop.press("start", "Work")
                let log = try laptop.log()
                try loss.happens(in: laptop.home) { name in
                    for words in loss.fails {
                        let outcome = try laptop.start(words).wait()
                        #expect(outcome.status == 1, "\(words): \(outcome.messages)")
                        #expect(outcome.messages.contains(name), "\(words): \(outcome.messages)")
                        #expect(!outcome.messages.contains("crash"), "\(words): \(outcome.messages)")
                    }
                }
                #expect(try laptop.log() == log)
                try laptop.press("label", "Again")
                try laptop.press("sync")
                #expect(try world.server.eventCount() == log.count + 1)
            }
        }

        @Test(
            "a folder that can't be made is named; one that may not be written does while the log in it may")
        func folder() throws {
            try OrdinaryUser.with { world in
                let locked = world.folder.file("locked")
                try OrdinaryUser.makeFolder(locked)
                let laptop = world.ordinaryLaptop("locked/work")
                try withMode(0o500, locked) {
                    let outcome = try laptop.run("start")
                    #expect(outcome.status == 1)
                    #expect(outcome.messages.contains("\(laptop.home) can't be made"), "\(outcome.messages)")
                }
                try laptop.press("start")
                try withMode(0o500, laptop.home) {
                    try laptop.press("pause")
                    #expect(try laptop.run("status", "--format", "{state}").output == "paused\n")
                }
                try laptop.press("resume")
            }
        }
    }
}
