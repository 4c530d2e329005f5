import FocusCore
import Simulation
import TestSupport

extension BusyGroup {
    /// Returns a group with presses at the other laptop, and with a random pause between presses here.
    static func pressed(_ seed: UInt64, elsewhere count: Int = 3) throws -> BusyGroup {
        let group = try BusyGroup(seed: seed)
        let laptop = group.laptop
        laptop.leisure = [1_000, 200_000, 2_000_000].randomElement(using: &laptop.dice) ?? 0
        group.presses(elsewhere: count) { [unowned laptop] number in
            switch Int.random(in: 0..<6, using: &laptop.dice) {
            case 0: .start(label: "other \(number)")
            case 1: .label("other \(number)")
            case 2: .toggle
            case 3: .stop
            case 4: .skip
            default: .set(.dailyGoal, .random(in: 1...20, using: &laptop.dice))
            }
        }
        return group
    }
}
