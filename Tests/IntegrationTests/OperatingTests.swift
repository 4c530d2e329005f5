import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("What an operator does")
    struct OperatingTests {
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
                let file = try waitForValue("a backup is there") {
                    try? FileManager.default.contentsOfDirectory(atPath: folder)
                        .first { $0.hasSuffix(".backup") }
                }
                try eventually("the status says so") {
                    try world.server.runSuccessfully(["status"]).output.contains("\(folder)/\(file)")
                }
                try world.server.runSuccessfully(["verify", "\(folder)/\(file)"])
                let before = try world.server.eventCount()
                try eventually("the laptop is back") { try work.isOnline }
                try work.press("start", "After the backup")
                try eventually("the server has it") { try world.server.eventCount() == before + 1 }

                try world.server.stop()
                try world.server.runSuccessfully(["restore", "\(folder)/\(file)", "--replace"])
                #expect(try world.server.eventCount() == before)
                try world.server.start()
                try eventually("the server has it again") { try world.server.eventCount() == before + 1 }
                #expect(try work.status().label == "After the backup")
            }
        }
    }
}
