import CommandLineKit
import FocusCore
import FocusSeal
import FocusStore

/// Which key each of the group's devices has, as the log names them.
struct DeviceKeys {
    private let keys: [String: Set<Digest>]
    private let own: Digest?

    init(_ device: Device) throws {
        var keys: [String: Set<Digest>] = [:]
        for named in try device.store.state().devices.values {
            guard let key = named.key.flatMap(Digest.init(hexadecimal:)) else { continue }
            keys[named.name, default: []].insert(key)
        }
        self.keys = keys
        own = try device.store.text(.deviceKey).flatMap(Digest.init(hexadecimal:))
    }

    /// The key of the device of this name.
    func key(of name: String) throws(CommandFailure) -> Digest {
        guard let found = keys[name], let key = found.first else {
            let known = keys.keys.sorted().joined(separator: ", ")
            throw CommandFailure("No laptop of the group is called \(name). There are: \(known).")
        }
        guard found.count == 1 else {
            throw CommandFailure(
                "\(found.count) laptops are called \(name). Rename one on itself: focus devices rename NAME.")
        }
        guard key != own else {
            throw CommandFailure("That is this laptop. To part from the group: focus leave.", .notNow)
        }
        return key
    }
}
