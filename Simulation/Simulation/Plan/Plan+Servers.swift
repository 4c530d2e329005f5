import TestSupport

extension Plan {
    /// Makes two or three servers share a database, and adds faults of single servers and of the connections
    /// between them and the database. Steps that need a store of one server are removed. These changes have a
    /// random generator of their own, so the rest of the seed's plan doesn't depend on them.
    mutating func shareStore(using dice: inout SeededGenerator) {
        servers = Int.random(in: 2...3, using: &dice)
        serverClockError = [1_000, 20_000, 100_000].randomElement(using: &dice) ?? 1_000
        steps.removeAll { !$0.kind.isForSharedStore }
        let longestGap = Int64.random(in: 10...60, using: &dice)
        let end = steps.last?.time ?? 0
        var time = Int64.random(in: .seconds(1)...(.seconds(20)), using: &dice)
        var more: [Step] = []
        while time < end {
            more.append(Step(time, sharedTrouble(using: &dice), seed: dice.next()))
            time += Int64.random(in: .seconds(1)...(.seconds(longestGap)), using: &dice)
        }
        add(more)
    }

    private func sharedTrouble(using dice: inout SeededGenerator) -> Step.Kind {
        let short = Int64.random(in: 1_000...(.seconds(20)), using: &dice)
        let long = Int64.random(in: .seconds(1)...(.minutes(2)), using: &dice)
        switch Int.random(in: 0..<12, using: &dice) {
        case 0: return .killServer(for: short)
        // The server's laptops are shown as connected until the other servers presume it gone.
        case 1: return .killServer(for: long)
        case 2: return .stopServer(for: short)
        case 3:
            let longest = ([1, 3, 7] as [Int64]).randomElement(using: &dice) ?? 1
            return .freezeServer(for: .random(in: .seconds(10)...(.minutes(longest)), using: &dice))
        // The other servers presume it gone while its laptops still wait for it.
        case 4: return .freezeServer(for: .random(in: .seconds(31)...(.seconds(45)), using: &dice))
        case 5: return .freezeServer(for: short)
        case 6: return .cutDatabase(fromAll: false, for: long)
        case 7: return .cutDatabase(fromAll: true, for: short)
        case 8, 9: return .loseAnswers(for: long)
        default: return .loseNotices(for: long)
        }
    }
}

extension Step.Kind {
    /// Whether the step can happen to servers that share a database. Steps about disks and backups can't,
    /// because these belong to the database. Nor can a change of the key, which needs all servers but one
    /// stopped.
    fileprivate var isForSharedStore: Bool {
        switch self {
        case .losePowerOfServer, .backUpServer, .restoreServer, .wipeServer, .makeServerBackup,
            .restoreServerBackup, .announceKey, .finishKey, .cancelKey, .fillServerDisk:
            false
        default: true
        }
    }
}
