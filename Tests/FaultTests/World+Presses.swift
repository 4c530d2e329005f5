import IntegrationSupport
import Testing

extension World {
    /// The greatest time in which a press has to reach other laptops, under any load.
    private static let limit = Duration.seconds(2)

    /// Expects that a laptop's press reaches another one promptly. The fastest of three presses counts,
    /// because the machine may be busy.
    func expectPromptPresses(from laptop: Laptop, to other: Laptop, _ when: String) throws {
        var fastest = Duration.seconds(3_600)
        for number in 1...3 {
            let text = "\(when) \(number)"
            try laptop.press("label", text)
            let took = try eventually("\(other.name) shows '\(text)'") { try other.status().label == text }
            fastest = min(fastest, took)
        }
        #expect(fastest < World.limit, "\(when)")
    }
}
