package import CommandLineKit
package import FocusDevice
import FocusStore

extension CommandFailure {
    /// Why a word stands for no laptop that it could be done to, and what to type instead.
    init(_ failure: DeviceKeys.Failure) {
        switch failure {
        case .unknown(let word, let known):
            self.init(
                "The group has no laptop called \(word). Its laptops: \(known.joined(separator: ", ")).")
        case .ambiguous(let word, let count, let digits):
            self.init(
                "\(count) laptops are called \(word). Say which one by the digits of its key: "
                    + "\(digits.joined(separator: ", ")).")
        case .thisOne: self.init("That is this laptop. To leave the group: focus leave.", .notNow)
        case .hasLeft(let title): self.init("\(title) has left the group.", .notNow)
        case .notThere(let title, let wanted): self.init("\(title) \(wanted.lack)", .notNow)
        }
    }
}

extension DeviceKeys.Wanted {
    /// What is wrong with a laptop that isn't so, to be read after its name.
    fileprivate var lack: String {
        switch self {
        case .inGroup: "was shut out before."
        case .latecomer: "isn't waiting to be accepted."
        case .shutOut: "isn't shut out."
        }
    }
}

extension Device {
    /// Finds laptops of the group for a command that names them.
    package func found<Result>(
        _ find: (DeviceKeys) throws(DeviceKeys.Failure) -> Result
    ) throws(CommandFailure) -> Result {
        let keys = try using { device throws(StoreError) in try DeviceKeys(device) }
        do throws(DeviceKeys.Failure) {
            return try find(keys)
        } catch {
            throw CommandFailure(error)
        }
    }
}
