import TestSupport

extension Plan {
    /// Has two or three servers share a database, one of which is killed, stopped or stands still now and then, while others go
    /// on, and what lies between them goes wrong. What can only happen to a store that is one server's is left out. Its dice are
    /// its own: all else in a seed's plan is as it is without.
    mutating func shareStore(using dice: inout SeededGenerator) {
        servers = Int.random(in: 2...3, using: &dice)
        serversApart = [1_000, 20_000, 100_000].randomElement(using: &dice) ?? 1_000
        steps.removeAll { !$0.kind.isForSharedStore }
        let trouble = Int64.random(in: 10...60, using: &dice)
        let end = steps.last?.time ?? 0
        var time = Int64.random(in: .seconds(1)...(.seconds(20)), using: &dice)
        var more: [Step] = []
        while time < end {
            more.append(Step(time, sharedTrouble(using: &dice), seed: dice.next()))
            time += Int64.random(in: .seconds(1)...(.seconds(trouble)), using: &dice)
        }
        add(more)
    }

    private func sharedTrouble(using dice: inout SeededGenerator) -> Step.Kind {
        let short = Int64.random(in: 1_000...(.seconds(20)), using: &dice)
        let long = Int64.random(in: .seconds(1)...(.minutes(2)), using: &dice)
        switch Int.random(in: 0..<12, using: &dice) {
        case 0: return .killServer(for: short)
        // Its laptops are shown as connected until the others take it for gone.
        case 1: return .killServer(for: long)
        case 2: return .stopServer(for: short)
        case 3:
            let longest = ([1, 3, 7] as [Int64]).randomElement(using: &dice) ?? 1
            return .freezeServer(for: .random(in: .seconds(10)...(.minutes(longest)), using: &dice))
        // The others take it for gone, and its laptops don't yet.
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
    /// Whether it can happen to servers that share a database, which has backups of its own, and a disk of which
    /// they know nothing; and whose key is changed while all but one are stopped.
    fileprivate var isForSharedStore: Bool {
        switch self {
        case .losePowerOfServer, .backUpServer, .restoreServer, .wipeServer, .makeServerBackup,
            .restoreServerBackup, .announceKey, .finishKey, .cancelKey, .fillServerDisk:
            false
        default: true
        }
    }
}
