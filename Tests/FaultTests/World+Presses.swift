import IntegrationSupport
import Testing

extension World {
    /// Within what a press has to reach the others, whatever else the server has to cope with.
    private static let limit = Duration.seconds(2)

    /// Expects that presses of a laptop reach another one as fast as ever: the best of some, since the machine may be
    /// busy with other things.
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
