import CommandLineKit
import FocusCore
import FocusSeal
import FocusStore

/// The laptops of the group by what they are called now, for a command that names one.
struct DeviceKeys {
    private let entries: [DeviceList.Entry]

    init(_ device: Device) throws(StoreError) {
        entries = try DeviceList(device).entries.filter { $0.key != nil }
    }

    /// The key of the laptop of this name. One that was shut out makes way for another that is called the same.
    func key(of name: String) throws(CommandFailure) -> Digest {
        let called = entries.filter { $0.name == name }
        let present = called.filter { !$0.isRevoked }
        guard let found = present.first, let key = found.key.flatMap(Digest.init(hexadecimal:)) else {
            guard called.isEmpty else { throw CommandFailure("\(name) was shut out before.", .notNow) }
            let known = entries.filter { !$0.isRevoked }.map(\.name).sorted().joined(separator: ", ")
            throw CommandFailure("No laptop of the group is called \(name). There are: \(known).")
        }
        guard present.count == 1 else {
            throw CommandFailure(
                "\(present.count) laptops are called \(name). Rename one on itself: focus devices rename NAME."
            )
        }
        guard !found.isThis else {
            throw CommandFailure("That is this laptop. To part from the group: focus leave.", .notNow)
        }
        return key
    }
}
