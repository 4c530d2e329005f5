import FocusText
import Foundation
import IntegrationSupport
import Testing

extension IntegrationTests {
    @Suite("A wrong clock")
    struct WrongClockTests {
        /// Sets a laptop's wall clock three hours ahead. The time since boot stays right.
        private func advance(_ laptop: Laptop) throws {
            laptop.clock = try WrongClock("+3h")
        }

        @Test("presses from three hours ahead get the right time where the laptop brings its log to a server")
        func bringing() throws {
            try World.with { world in
                let fast = world.laptop("fast")
                try advance(fast)
                try fast.press("start", "Early")
                try fast.press("label", "Earlier")
                #expect(try fast.status().now > wallClock() + 10_000_000)

                try world.server.start()
                try fast.join(try world.server.invite())
                try fast.startAgent()
                let other = try world.join("other")
                let log = try world.agree()
                try expectNothingAhead(log)
                for laptop in world.laptops {
                    let status = try laptop.status()
                    #expect(status.status == "running")
                    #expect(status.label == "Earlier")
                    #expect(abs(status.now - wallClock()) < 60_000)
                }
                try other.press("pause")
                try world.agree()
                try fast.press("resume")
                try world.agree()
                try other.press("skip")
                try expectNothingAhead(try world.agree())
                #expect(try fast.status().activity == "shortBreak")
            }
        }

        private func expectNothingAhead(_ log: [String]) throws {
            let soon = wallClock() + 60_000
            for line in log {
                let event = try JSON(parsing: line.utf8)
                for field in ["ms", "at", "startedAt", "endedAt"] {
                    guard case .number(let instant)? = event[field] else { continue }
                    #expect(try #require(Int64(instant)) < soon, "\(line)")
                }
            }
        }
    }
}
