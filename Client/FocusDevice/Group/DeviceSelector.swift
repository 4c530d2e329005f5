package import FocusCore
package import FocusStore

/// The laptops of the group by their present names, for a command that names one.
package struct DeviceSelector {
    /// A laptop that a command named.
    package struct Match: Hashable, Sendable {
        /// The hash of its public key.
        package let key: Digest
        /// Its name as people are shown it.
        package let title: String
    }

    /// The reason why a command can't use the laptop that it named.
    package enum Failure: Error, Hashable, Sendable {
        /// The group has no laptop of this name. The titles of its laptops are `known`.
        case unknown(String, known: [String])
        /// Several laptops have this name: `count`, with these first digits of their keys.
        case ambiguous(String, count: Int, digits: [String])
        /// It is this laptop.
        case thisOne
        /// The laptop of this title has left the group.
        case hasLeft(String)
        /// The laptop of this title isn't in the state that the command needs.
        case notThere(String, RequiredState)
    }

    /// The state that a laptop needs to be in for a command.
    package enum RequiredState: Hashable, Sendable {
        case inGroup, acceptable, shutOut
    }

    /// The reason why a laptop has to be accepted before it gets the group's key.
    package enum AcceptReason: Hashable, Sendable {
        /// It came with a key from before a laptop was revoked.
        case oldKey
        /// It was revoked and readmitted.
        case readmitted
        /// It doesn't have to be accepted: it gets the key, or has it.
        case none

        /// The reason for this laptop.
        init(_ entry: DeviceList.Entry) {
            self = entry.isReadmitted ? .readmitted : entry.isLate ? .oldKey : .none
        }
    }

    /// A laptop that has joined a group, and so has a key.
    private struct Candidate {
        let entry: DeviceList.Entry
        let key: Digest

        var match: Match { Match(key: key, title: entry.title) }
    }

    private let laptops: [Candidate]

    /// The laptops that `device` knows of, except laptops without a key: they have never joined a group.
    package init(_ device: Device) throws(StoreError) {
        laptops = try DeviceList(device).entries.compactMap { entry in
            entry.key.map { Candidate(entry: entry, key: $0) }
        }
    }

    /// The laptops that a command may revoke.
    package struct Revocable: Hashable, Sendable {
        /// The laptops that the person named.
        package let named: [Match]
        /// Laptops that the person didn't name and that are revoked too. Only the server lists them, so a
        /// named laptop may have listed them.
        package let unnamed: [Match]
        /// Laptops that came after the first named one, and either since the group's key last changed or
        /// within a week. A named laptop may have let them in. They stay, unless a person says otherwise.
        package let recent: [Match]

        /// The keys of all but the recent laptops, the named ones first.
        package var keys: [Digest] { (named + unnamed).map { $0.key } }
        /// The names of these laptops as people are shown them, in the order of `keys`.
        package var titles: [String] { (named + unnamed).map { $0.title } }

        /// The same laptops, with the recent ones to be revoked too.
        package var withRecent: Revocable {
            Revocable(named: named, unnamed: unnamed + recent, recent: [])
        }
    }

    /// Returns the laptops to revoke for these words. If several have the same name, the ones already revoked
    /// are ignored.
    ///
    /// - Parameter revokesOnlyNamed: Whether only the laptops of `words` are revoked. If false, all laptops
    ///   that only the server lists are revoked too.
    /// - Throws: `Failure` if a word names none, several, or this laptop.
    package func revocable(_ words: [String], revokesOnlyNamed: Bool) throws(Failure) -> Revocable {
        var named: [Match] = []
        for word in words {
            let one = try revocable(word)
            if !named.contains(where: { $0.key == one.key }) { named.append(one) }
        }
        let others = revokesOnlyNamed ? [] : listedOnly
        let keys = Set(named.map { $0.key })
        let firstArrival = laptops.filter { keys.contains($0.key) }.map { $0.entry.arrival }.min()
        let recent = laptops.filter { laptop in
            laptop.entry.isRecent && !keys.contains(laptop.key) && laptop.entry.arrival > firstArrival ?? .max
        }
        return Revocable(
            named: named, unnamed: others.filter { other in !named.contains { $0.key == other.key } },
            recent: recent.map { $0.match })
    }

    private func revocable(_ word: String) throws(Failure) -> Match {
        let named = matches(word)
        // A server may list a key that nobody here has heard of.
        if named.isEmpty, let key = Digest(hexadecimal: word) {
            return Match(key: key, title: DeviceName.digits(key))
        }
        let laptop = try onlyMatch(word, of: named.filter { !$0.entry.isRevoked }, as: .inGroup)
        guard !laptop.entry.isThis else {
            throw .thisOne
        }
        return laptop.match
    }

    /// Returns the laptop of this name to accept. If any laptops of this name wait to be accepted, only these
    /// count. A laptop that doesn't wait may be accepted too: its person may have been told to ask for that.
    ///
    /// - Returns: The laptop, and the reason why it has to be accepted.
    package func acceptable(_ word: String) throws(Failure) -> (found: Match, reason: AcceptReason) {
        let named = matches(word).filter { !$0.entry.isThis && $0.entry.isNamed && !$0.entry.isRevoked }
        let waiting = named.filter { $0.entry.isLate || $0.entry.isReadmitted }
        let one = try onlyMatch(word, of: waiting.isEmpty ? named : waiting, as: .acceptable)
        return (one.match, AcceptReason(one.entry))
    }

    /// Returns the revoked laptop of this name.
    package func revoked(_ word: String) throws(Failure) -> Match {
        let revoked = matches(word).filter { $0.entry.isRevoked && !$0.entry.isThis }
        return try onlyMatch(word, of: revoked, as: .shutOut).match
    }

    /// The laptops that the server lists and no laptop has named, without revoked and readmitted ones.
    private var listedOnly: [Match] {
        laptops.filter { !$0.entry.isNamed && !$0.entry.isRevoked && !$0.entry.isReadmitted }.map { $0.match }
    }

    /// Returns the laptops that a word may mean, by name or by the first digits of the key.
    private func matches(_ word: String) -> [Candidate] {
        let whole = laptops.filter { $0.key.hexadecimal == word }
        return whole.isEmpty ? laptops.filter { $0.entry.isCalled(word) } : whole
    }

    /// Returns the only laptop of `laptops`, or throws if there are none or several.
    ///
    /// - Parameter wanted: The state that it needs to be in.
    private func onlyMatch(
        _ word: String, of laptops: [Candidate], as wanted: RequiredState
    ) throws(Failure) -> Candidate {
        guard let first = laptops.first else {
            // This laptop counts only if no other one has that name.
            let named = matches(word).map { $0.entry }
            if let named = named.first(where: { !$0.isThis }) {
                throw named.hasLeft ? .hasLeft(named.title) : .notThere(named.title, wanted)
            }
            if !named.isEmpty { throw .thisOne }
            throw .unknown(
                word, known: self.laptops.map { $0.entry }.filter { !$0.isRevoked }.map { $0.title }.sorted())
        }
        guard laptops.count == 1 else {
            let digits = laptops.map { DeviceName.digits($0.key) }.sorted()
            throw .ambiguous(word, count: laptops.count, digits: digits)
        }
        return first
    }
}

extension DeviceList.Entry {
    /// Whether a word means it: its name, with or without the digits of its key, or at least the first 8
    /// digits.
    func isCalled(_ word: String) -> Bool {
        name == word && !name.isEmpty || title == word
            || word.utf8.count >= 8 && key?.hexadecimal.hasPrefix(word.lowercased()) == true
    }
}
