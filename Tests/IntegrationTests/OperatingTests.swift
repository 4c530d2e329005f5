import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("What an operator does")
    struct OperatingTests {
        @Test(
            "a group's quota of devices keeps the next one out while the server runs, until it is the default again"
        )
        func quota() throws {
            try World.with(["work", "home"]) { world in
                let group = try #require(try world.laptops[0].status().group)
                try world.server.done(["groups", "rename", group, "The team"])
                try world.server.done(["groups", "quota", "The team", "--devices", "2"])
                #expect(try world.server.done(["groups"]).output.contains("quota: devices 2"))
                let spare = world.laptop("spare")
                let invite = try world.laptops[0].invite()
                let refused = try spare.run("join", "-", input: invite)
                #expect(refused.status == 5)
                #expect(refused.messages.contains("too many devices"), "\(refused.messages)")
                try world.server.done(["groups", "quota", "The team", "--devices", "default"])
                try spare.join(invite)
                #expect(try world.server.devices().count == 3)
            }
        }

        @Test(
            "a backup that the server made by itself is whole, and laptops bring what came after it once it is restored"
        )
        func backup() throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                let folder = world.folder.file("backups")
                try world.server.stop()
                try world.server.set("backup-folder = \(folder)\n")
                try world.server.start()
                let file = try awaited("a backup is there") {
                    try? FileManager.default.contentsOfDirectory(atPath: folder)
                        .first { $0.hasSuffix(".backup") }
                }
                try eventually("the status says so") {
                    try world.server.done(["status"]).output.contains("\(folder)/\(file)")
                }
                try world.server.done(["verify", "\(folder)/\(file)"])
                let before = try world.server.eventCount()
                try eventually("the laptop is back") { try work.isOnline }
                try work.press("start", "After the backup")
                try eventually("the server has it") { try world.server.eventCount() == before + 1 }

                try world.server.stop()
                try world.server.done(["restore", "\(folder)/\(file)", "--replace"])
                #expect(try world.server.eventCount() == before)
                try world.server.start()
                try eventually("the server has it again") { try world.server.eventCount() == before + 1 }
                #expect(try work.status().label == "After the backup")
            }
        }
    }
}
