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

    /// The key of the laptop of this name, or whose key begins with these digits, that waits to be accepted.
    func latecomer(_ word: String) throws(CommandFailure) -> Digest {
        let called = entries.filter { $0.isCalled(word) }
        let waiting = called.filter { $0.isLate && !$0.isRevoked }
        guard let found = waiting.first, let key = found.key.flatMap(Digest.init(hexadecimal:)) else {
            throw called.isEmpty
                ? CommandFailure("No laptop of the group is called \(word).")
                : CommandFailure("\(word) doesn't wait to be accepted.", .notNow)
        }
        guard waiting.count == 1 else {
            let digits = waiting.compactMap { $0.key.map(DeviceName.digits) }.sorted().joined(separator: ", ")
            throw CommandFailure("\(waiting.count) laptops are called \(word). Say which: \(digits).")
        }
        return key
    }
}

extension DeviceList.Entry {
    /// Whether a word stands for it: its name, or the first digits of its key, 8 at least.
    func isCalled(_ word: String) -> Bool {
        name == word || word.utf8.count >= 8 && key?.hasPrefix(word.lowercased()) == true
    }
}
