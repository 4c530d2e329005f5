package import FocusCore
package import FocusStore

/// The laptops of the group by what they are called now, for a command that names one.
package struct DeviceKeys {
    /// A laptop that was meant.
    package struct Found: Hashable, Sendable {
        /// The hash of its public key.
        package let key: Digest
        /// What people are told that it is called.
        package let title: String
    }

    /// Why a word stands for no laptop that it could be done to.
    package enum Failure: Error, Hashable, Sendable {
        /// The group has no laptop called so; it has those of these titles.
        case unknown(String, known: [String])
        /// So many laptops are called so, with these first digits of their keys.
        case ambiguous(String, count: Int, digits: [String])
        /// It is this laptop.
        case thisOne
        /// Who is called so has left the group.
        case hasLeft(String)
        /// Who is called so is none of those that it could be done to.
        case notThere(String, Wanted)
    }

    /// What a laptop has to be for something to be done to it.
    package enum Wanted: Hashable, Sendable {
        case inGroup, acceptable, shutOut
    }

    /// Why a laptop has to be accepted before it gets the group's key.
    package enum AcceptReason: Hashable, Sendable {
        /// It came with a key from before a laptop was shut out.
        case oldKey
        /// It was shut out, which was taken back.
        case takenBack
        /// It hasn't to: it gets the key, or has it.
        case none

        /// Why this laptop has to be.
        init(_ entry: DeviceList.Entry) {
            self = entry.isReadmitted ? .takenBack : entry.isLate ? .oldKey : .none
        }
    }

    /// A laptop that has joined a group, and so has a key.
    private struct Keyed {
        let entry: DeviceList.Entry
        let key: Digest

        var found: Found { Found(key: key, title: entry.title) }
    }

    private let laptops: [Keyed]

    /// The laptops that `device` knows of, less those that have no key, which have never joined a group.
    package init(_ device: Device) throws(StoreError) {
        laptops = try DeviceList(device).entries.compactMap { entry in
            entry.key.map { Keyed(entry: entry, key: $0) }
        }
    }

    /// Those that are to be shut out.
    package struct Revocable: Hashable, Sendable {
        /// The ones that were meant.
        package let named: [Found]
        /// Those that go along: whoever is shut out may have listed them.
        package let unnamed: [Found]
        /// Those that came after one of these, and since the group's key was last changed or lately: it may have let them
        /// in. They stay, unless a person says otherwise.
        package let recent: [Found]

        /// The keys of all but the recent, those that were meant first.
        package var keys: [Digest] { (named + unnamed).map(\.key) }
        /// What people are told that they are called, in the order of `keys`.
        package var titles: [String] { (named + unnamed).map(\.title) }

        /// The same, with the recent ones to be shut out too.
        package var withRecent: Revocable {
            Revocable(named: named, unnamed: unnamed + recent, recent: [])
        }
    }

    /// Those that can be shut out by these words. One that was shut out makes way for another that is called the same.
    ///
    /// - Parameter isOnly: whether those stay that the server lists and no laptop has named.
    package func revocable(_ words: [String], isOnly: Bool) throws(Failure) -> Revocable {
        var named: [Found] = []
        for word in words {
            let one = try revocable(word)
            if !named.contains(where: { $0.key == one.key }) { named.append(one) }
        }
        let others = isOnly ? [] : unnamed
        let keys = Set(named.map(\.key))
        let first = laptops.filter { keys.contains($0.key) }.map(\.entry.arrival).min()
        let recent = laptops.filter { laptop in
            laptop.entry.isRecent && !keys.contains(laptop.key) && laptop.entry.arrival > first ?? .max
        }
        return Revocable(
            named: named, unnamed: others.filter { other in !named.contains { $0.key == other.key } },
            recent: recent.map(\.found))
    }

    private func revocable(_ word: String) throws(Failure) -> Found {
        let called = called(word)
        // A key that nobody here has heard of may have been listed anywhere.
        if called.isEmpty, let key = Digest(hexadecimal: word) {
            return Found(key: key, title: DeviceName.digits(key))
        }
        let laptop = try one(word, of: called.filter { !$0.entry.isRevoked }, as: .inGroup)
        guard !laptop.entry.isThis else {
            throw .thisOne
        }
        return laptop.found
    }

    /// The one of this name that is to be accepted: of several, those that wait for that. One that doesn't may be accepted
    /// too, as it may have been told to ask for it.
    ///
    /// - Returns: It, and why it has to be accepted.
    package func acceptable(_ word: String) throws(Failure) -> (found: Found, reason: AcceptReason) {
        let called = called(word).filter { !$0.entry.isThis && $0.entry.isNamed && !$0.entry.isRevoked }
        let waiting = called.filter { $0.entry.isLate || $0.entry.isReadmitted }
        let one = try one(word, of: waiting.isEmpty ? called : waiting, as: .acceptable)
        return (one.found, AcceptReason(one.entry))
    }

    /// The one of this name that was shut out.
    package func revoked(_ word: String) throws(Failure) -> Found {
        let revoked = called(word).filter { $0.entry.isRevoked && !$0.entry.isThis }
        return try one(word, of: revoked, as: .shutOut).found
    }

    /// Those that the server lists and no laptop has named, less the ones that were shut out.
    private var unnamed: [Found] {
        laptops.filter { !$0.entry.isNamed && !$0.entry.isRevoked && !$0.entry.isReadmitted }.map(\.found)
    }

    /// Those whom a word may mean: by name, or by the first digits of the key.
    private func called(_ word: String) -> [Keyed] {
        let whole = laptops.filter { $0.key.hexadecimal == word }
        return whole.isEmpty ? laptops.filter { $0.entry.isCalled(word) } : whole
    }

    /// The only one of these.
    ///
    /// - Parameter wanted: what it has to be.
    private func one(
        _ word: String, of laptops: [Keyed], as wanted: Wanted
    ) throws(Failure) -> Keyed {
        guard let first = laptops.first else {
            if let called = called(word).first?.entry {
                throw called.hasLeft ? .hasLeft(called.title) : .notThere(called.title, wanted)
            }
            throw .unknown(
                word, known: self.laptops.map(\.entry).filter { !$0.isRevoked }.map(\.title).sorted())
        }
        guard laptops.count == 1 else {
            let digits = laptops.map { DeviceName.digits($0.key) }.sorted()
            throw .ambiguous(word, count: laptops.count, digits: digits)
        }
        return first
    }
}

extension DeviceList.Entry {
    /// Whether a word stands for it: its name, with the digits of its key or without, or the first 8 digits or more.
    func isCalled(_ word: String) -> Bool {
        name == word && !name.isEmpty || title == word
            || word.utf8.count >= 8 && key?.hexadecimal.hasPrefix(word.lowercased()) == true
    }
}
