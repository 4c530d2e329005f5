import CommandLineKit
import FocusCore
import FocusStore

/// The laptops of the group by what they are called now, for a command that names one.
struct DeviceKeys {
    /// A laptop that was meant.
    struct Found {
        let key: Digest
        /// What people are told that it is called.
        let title: String
    }

    private let entries: [DeviceList.Entry]

    init(_ device: Device) throws(StoreError) {
        entries = try DeviceList(device).entries.filter { $0.key != nil }
    }

    /// Those that can be shut out by these words. One that was shut out makes way for another that is called the same.
    func revocable(_ words: [String]) throws(CommandFailure) -> [Found] {
        var found: [Found] = []
        for word in words {
            let one = try revocable(word)
            if !found.contains(where: { $0.key == one.key }) { found.append(one) }
        }
        return found
    }

    private func revocable(_ word: String) throws(CommandFailure) -> Found {
        let called = called(word)
        // A key that nobody here has heard of may have been listed anywhere.
        if called.isEmpty, let key = Digest(hexadecimal: word) {
            return Found(key: key, title: DeviceName.digits(key.hexadecimal))
        }
        let entry = try one(word, of: called.filter { !$0.isRevoked }, else: "was shut out before.")
        guard !entry.isThis else {
            throw CommandFailure("That is this laptop. To leave the group: focus leave.", .notNow)
        }
        return try found(entry)
    }

    /// The one of this name that waiting to be accepted.
    func latecomer(_ word: String) throws(CommandFailure) -> Found {
        let waiting = called(word).filter(\.isLate)
        return try found(one(word, of: waiting, else: "isn't waiting to be accepted."))
    }

    /// The one of this name that was shut out.
    func revoked(_ word: String) throws(CommandFailure) -> Found {
        let revoked = called(word).filter { $0.isRevoked && !$0.isThis }
        return try found(one(word, of: revoked, else: "isn't shut out."))
    }

    /// Those that the server lists and no laptop has named, less the ones that were shut out.
    var unnamed: [Found] {
        entries.filter { !$0.isNamed && !$0.isRevoked && !$0.isReadmitted }.compactMap { try? found($0) }
    }

    /// Those whom a word may mean: by name, or by the first digits of the key.
    private func called(_ word: String) -> [DeviceList.Entry] {
        let whole = entries.filter { $0.key == word }
        return whole.isEmpty ? entries.filter { $0.isCalled(word) } : whole
    }

    /// The only one of these.
    ///
    /// - Parameter problem: why it is none of them, where something is called so.
    private func one(
        _ word: String, of entries: [DeviceList.Entry], else problem: String
    ) throws(CommandFailure) -> DeviceList.Entry {
        guard let first = entries.first else {
            if let called = called(word).first {
                let problem = called.hasLeft ? "has left the group." : problem
                throw CommandFailure("\(called.title) \(problem)", .notNow)
            }
            let known = self.entries.filter { !$0.isRevoked }.map(\.title).sorted().joined(separator: ", ")
            throw CommandFailure("The group has no laptop called \(word). Its laptops: \(known).")
        }
        guard entries.count == 1 else {
            let digits = entries.compactMap { $0.key.map(DeviceName.digits) }.sorted().joined(separator: ", ")
            throw CommandFailure(
                "\(entries.count) laptops are called \(word). Say which one by the digits of its key: \(digits)."
            )
        }
        return first
    }

    private func found(_ entry: DeviceList.Entry) throws(CommandFailure) -> Found {
        guard let key = entry.key.flatMap(Digest.init(hexadecimal:)) else {
            throw CommandFailure("The key of \(entry.title) is malformed.")
        }
        return Found(key: key, title: entry.title)
    }
}

extension Device {
    /// The laptops of the group, for a command that names one.
    func deviceKeys() throws(CommandFailure) -> DeviceKeys {
        try using { device throws(StoreError) in try DeviceKeys(device) }
    }
}

extension DeviceList.Entry {
    /// Whether a word stands for it: its name, with the digits of its key or without, or the first 8 digits or more.
    func isCalled(_ word: String) -> Bool {
        name == word && !name.isEmpty || title == word
            || word.utf8.count >= 8 && key?.hasPrefix(word.lowercased()) == true
    }
}
