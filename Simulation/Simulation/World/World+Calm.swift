import FocusAgent
import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import FocusSync
import SQLiteKit
import TestSupport

// Calms: all failures end, and then all laptops and servers have to agree within a certain time.
extension World {
    /// The longest time that agreeing may take. A lying host may ask for up to 15 minutes of patience, which
    /// laptops grant even after it has become honest.
    private var patience: Int64 { host == nil ? .minutes(15) : .minutes(30) }
    /// The time within which an agent notices changes by itself, and repeats the work that a full disk
    /// prevented.
    private static let longestNoticeDelay: Int64 = .seconds(6)

    /// Ends all failures, waits until the laptops and servers agree, and checks their logs and states.
    ///
    /// - Parameter occasion: The reason for the calm, for the trace.
    func runCalm(_ occasion: String) {
        trace("world", "calms: \(occasion)")
        for laptop in laptops { try? laptop.checkAcknowledged() }
        endFailures()
        let began = now
        var lastHelp = now
        var lastSync = now
        let agrees = run(until: now + patience) { [self] in
            if now - lastHelp > .seconds(90) {
                lastHelp = now
                rejoinStuckLaptops()
            }
            if now - lastSync > .seconds(10) {
                lastSync = now
                // A laptop without an agent syncs only by commands.
                for laptop in laptops where laptop.isAgentUnwanted && laptop.operations.isEmpty {
                    laptop.run(.sync)
                }
            }
            return now - began >= World.longestNoticeDelay && disagreement(since: began) == nil
        }
        // A server that lost its disk doesn't accept again the events that a wrong clock had stamped far
        // ahead. The laptops keep them.
        guard agrees || !servers.contains(where: \.hasLostFutureEvents) else {
            return trace("world", "can't agree")
        }
        guard violation == nil else { return }
        require(agrees, "after a calm all laptops of a group agree with the server") {
            disagreement(since: began) ?? "it took too long"
        }
        guard violation == nil else { return }
        do {
            try checkAgreement()
            trace("world", "agrees")
        } catch {
            require(false, "a log can be read") { "\(error)" }
        }
    }

    private func endFailures() {
        let liedAboutTime = host?.toldLies.contains(.shiftsTime) == true
        let wereClocksWrong = servers.contains(where: \.wasClockWrong)
        endServerFailures()
        liftQuotas()
        for laptop in laptops {
            laptop.disk.cutPower(afterChanges: nil)
            laptop.disk.isFull = false
            laptop.network = NetworkState()
            laptop.delays.bytesPerSecond = nil
            laptop.wake()
            laptop.browser?.mend()
            // The laptop has the present version of the program again.
            laptop.speak(nil)
            // A laptop uses its first reading of shared time until it reboots.
            if wereClocksWrong || liedAboutTime { laptop.reboot() }
            laptop.start()
            laptop.startIfNone()
            laptop.networkChanged()
            laptop.finishLeaving()
        }
        for server in servers { server.wasClockWrong = false }
    }

    private func endServerFailures() {
        database?.mend()
        for server in servers {
            server.thaw()
            server.disk.cutPower(afterChanges: nil)
            server.disk.isFull = false
            server.commitTime = 3_000
            server.setClock(by: nil)
        }
        host?.mend()
        if servers.contains(where: \.wasClockEverWrong) || host != nil {
            for server in servers { server.stop(losingPower: false) }
        }
        for server in servers { server.start(acceptingClock: true) }
    }

    /// Lets laptops in again that can't return by themselves, as people would: the server has forgotten them,
    /// or they have another server key or another group.
    private func rejoinStuckLaptops() {
        for laptop in laptops where laptop.isAwake && laptop.operations.isEmpty && !laptop.isOutside {
            switch laptop.lastEnd {
            case .closed(.refused(let refusal)):
                if refusal.code == .revoked { handleRevocation(of: laptop) }
                if refusal.code == .unknownDevice, !laptop.isRevoked { rejoin(laptop) }
            // Another member has brought the laptop's former group again, without knowing that the laptop had
            // left it.
            case .closed(.otherGroup) where !laptop.isRevoked: rejoin(laptop)
            // The server's key was changed before the laptop was told.
            case .otherServer where !laptop.isRevoked: rejoin(laptop)
            default: break
            }
        }
        liftQuotas()
        acceptLatecomers()
        rejoinFramedLaptops()
        revokeStrangersIfWarned()
    }

    /// Accepts latecomers, by a laptop of a person who knows them.
    private func acceptLatecomers() {
        for laptop in laptops where !laptop.isOutside && !laptop.isUnknownToGroup {
            let other = laptops.first {
                $0.group == laptop.group && $0 !== laptop && $0.isConnected && $0.operations.isEmpty
                    && $0.hasWaiting(laptop.key)
            }
            other?.run(.accept(laptop.key))
        }
    }

    func rejoin(_ laptop: Laptop) {
        let others = laptops.filter {
            $0 !== laptop && $0.group == laptop.group && $0.isConnected && !$0.hasWrongKey
        }
        if let other = others.first { return join(laptop, by: other, .takeAlong) }
        // No other member can let the laptop in, so the laptop brings the group itself.
        guard !laptop.hasWrongKey, laptop.browser == nil else { return }
        if laptop.isBringRefused { deleteGroup(of: laptop) }
        bringGroup(by: laptop)
    }

    /// Returns the laptops that have to agree with each other.
    private func members(of group: Int) -> [Laptop] {
        laptops.filter {
            $0.group == group && !$0.isRevoked && !$0.isOutside && !$0.hasWrongKey && !$0.isUnknownToGroup
        }
    }

    /// Returns the reason why the groups don't agree yet, or nil if they do.
    ///
    /// - Parameter began: The beginning of the calm.
    private func disagreement(since began: Int64) -> String? {
        do {
            for group in Set(plan.laptops).sorted() {
                if let problem = try disagreement(in: members(of: group), since: began) { return problem }
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func disagreement(in members: [Laptop], since began: Int64) throws -> String? {
        if let problem = traitorTrouble(of: members) { return problem }
        for laptop in members {
            guard let device = laptop.device, laptop.isAwake,
                laptop.isAgentUnwanted
                    ? laptop.syncedAt >= began : laptop.agent?.connection.isConnected == true
            else { return "\(laptop.name) isn't connected: \(laptop.lastEnd.map { "\($0)" } ?? "")" }
            let staying = try replicasAhead(device.store)
            let pending = try device.store.replicas().filter { !staying.contains($0.id) }
                .reduce(0) { $0 + $1.seq - $1.acknowledged }
            guard pending == 0 else { return "\(laptop.name) has \(pending) events to send" }
            guard try device.store.unchainedReplicas().isEmpty else {
                return "\(laptop.name) has events to chain"
            }
            let vector = try device.store.versionVector().without(staying)
            for server in servers {
                let known =
                    try device.store.group().map { server.vector(of: $0).without(staying) } ?? VersionVector()
                guard vector == known else {
                    return "\(laptop.name) has \(World.text(vector)), the server \(World.text(known))"
                }
            }
            guard laptop.browser?.isStored ?? true else { return "\(laptop.name) has changes to store" }
            guard laptop.hasNotifiedAll() else { return "\(laptop.name) hasn't been told what its log has" }
        }
        for laptop in laptops where laptop.group == members.first?.group && laptop.wasRevoked {
            // If no member knows of the revocation any more, no server can learn it again.
            guard try members.contains(where: { try $0.knowsRevoked(laptop.key) }) else { continue }
            if laptop.agent?.connection.isConnected == true {
                return "\(laptop.name) is shut out, and isn't kept out"
            }
        }
        return try presenceTrouble(of: members) ?? keyTrouble(of: members)
    }

    /// Returns the replicas of which all unsent events on the laptop are early events from a lying host.
    /// These events stay on the laptop until their time comes.
    private func replicasAhead(_ store: DeviceStore) throws -> Set<ReplicaID> {
        guard let ahead = host?.earlyStamps, !ahead.isEmpty, let group = try store.group() else { return [] }
        let known = server.vector(of: group)
        let staying = try store.replicas().filter { row in
            try row.seq > row.acknowledged && known[row.id].seq == row.acknowledged
                && store.storedEvents(of: row.id, from: row.acknowledged + 1)
                    .allSatisfy { ahead.contains($0.stamp) }
        }
        return Set(staying.map(\.id))
    }

    private static func text(_ vector: VersionVector) -> String {
        vector.heads.sorted { $0.key < $1.key }.map { "\($0.key.rawValue % 1000):\($0.value.seq)" }
            .joined(separator: " ")
    }

    private func checkAgreement() throws {
        for group in Set(plan.laptops).sorted() {
            let members = members(of: group)
            // The members' logs are equal by now, so checking one state is enough.
            try members.randomElement(using: &random)?.checkState()
            for laptop in members {
                laptop.processNotices()
                laptop.browser?.runDue()
                try laptop.historyCheck.check(laptop)
                let clockError = try clockError(of: laptop)
                require(clockError == nil, "a laptop knows shared time") { clockError ?? "" }
            }
            for laptop in laptops where laptop.group == group && laptop.isOutside {
                try laptop.checkState()
                try laptop.historyCheck.check(laptop)
            }
            try checkKeys(of: group, members)
            try checkReadmissions(of: group, members)
            try checkUnknownLaptops(of: group, members)
            try checkTraitor(of: group, members)
            try checkStates(of: members)
            try checkEvents(of: group, members)
            try checkWrongKeys(of: members)
            try checkCarried(of: group, members)
        }
        checkDatabase()
        let excess = server.excess
        require(excess == nil, "no group has more than it may") { excess ?? "" }
    }

    /// Checks that equal logs lead to equal states at any instant.
    private func checkStates(of members: [Laptop]) throws {
        guard let first = members.first?.device else { return }
        for laptop in members { laptop.device?.updateCounted() }
        let (state, journal) = try first.store.history()
        let instant = sharedNow
        let records = History(journal, state, at: instant).records
        for record in records where record.source == nil {
            reach.count(.phase, "\(record.outcome) \(record.activity)")
        }
        checkDays(NaiveState(state, journal, at: instant).history, records)
        for laptop in members.dropFirst() {
            guard let (other, otherJournal) = try laptop.device?.store.history() else { continue }
            for distance in [-3_600_000, 0, 1, 60_000, 86_400_000] as [Duration] {
                let instant = sharedNow + distance
                let shown = NaiveState(other, otherJournal, at: instant)
                let expected = NaiveState(state, journal, at: instant)
                require(shown == expected, "equal logs give equal states") {
                    "\(laptop.name) shows \(shown) instead of \(expected)"
                }
            }
        }
    }

    /// Returns a description of the error of the laptop's shared time, or nil if it is as exact as the
    /// network allows.
    private func clockError(of laptop: Laptop) throws -> String? {
        guard let device = laptop.device, !servers.contains(where: \.wasClockEverWrong) else { return nil }
        let shown = try device.now().milliseconds * 1000
        let error = abs(shown - server.clock.wall())
        // The limit consists of half the difference between both directions' delays, the drift between two
        // samples of a connection, and the rounding to milliseconds.
        let spike: Int64 = plan.delaySpikesPerThousand > 0 ? 500_000 : 0
        let uneven = (laptop.delays.most - laptop.delays.least) / 2
        let slow: Int64 = plan.hasSlowLinks ? 1_000_000 : 0
        // A ping waits for its turn while an attacker keeps the server busy.
        let turn = hostile.isEmpty ? 0 : ServerThreads.longestDelay / 2
        // The laptop may have the time from any of several servers.
        let apart = servers.count > 1 ? 2 * plan.serverClockError + 10_000 : 0
        // A browser sends a ping once the awaited changes before it are stored, in up to two sets of changes.
        let storing = laptop.browser == nil ? 0 : SimulatedBrowser.longestStoring
        let bound = uneven + spike + slow + turn + storing + plan.clockRate * 200 + 2_000 + apart
        return error <= bound ? nil : "\(laptop.name)'s clock is wrong by \(error) µs, over \(bound)"
    }

    /// Checks that no press is lost, and that no laptop has another group's events.
    private func checkEvents(of group: Int, _ members: [Laptop]) throws {
        var stamps: Set<EventFingerprint> = []
        var labels: Set<String> = []
        var presses = LabelledPressCounts()
        var log: [Event] = []
        var kinds: [UInt8?: (example: Action, count: Int)] = [:]
        // The members' logs are equal by now, so reading one is enough.
        let reader = members.randomElement(using: &random)
        for laptop in laptops where laptop.group == group {
            guard let store = laptop.device?.store else { continue }
            let isMember = members.contains { $0 === laptop }
            if isMember { try checkReplicas(of: group, laptop, store) }
            guard !isMember || laptop === reader else { continue }
            try store.forEachStoredEvent { stored in
                guard let event = stored.event else { return }
                let fingerprint = EventFingerprint(event)
                stamps.insert(fingerprint)
                if let label = fingerprint.label { labels.insert(label) }
                guard isMember else { return }
                // An early event has no effect yet.
                if let counted = stored.counted { log.append(counted) }
                kinds[event.action.encoded().first, default: (event.action, 0)].count += 1
                checkSecrecy(of: group, laptop, event)
                presses.add(event)
            }
        }
        for kind in kinds.values { reach.count(.event, caseOf: kind.example, times: kind.count) }
        checkNaming(in: log)
        try checkDeviceLists(members, log)
        for rule in NaiveTimer.rules(of: log) { reach.count(.rule, rule.rawValue) }
        checkPresses(of: group, stamps, labels)
        checkDuplicatePresses(of: group, presses)
    }

    /// Checks that each press in the ledger is in the log of a laptop or of the server. If a clone may have
    /// re-authored the press, a log with its label is enough, and a press without a label isn't checked.
    private func checkPresses(of group: Int, _ stamps: Set<EventFingerprint>, _ labels: Set<String>) {
        lazy var stored = server.storedEvents
        for entry in ledger.entries where entry.group == group {
            let fingerprint = EventFingerprint(entry.event)
            if stamps.contains(fingerprint) { continue }
            // A clone may have re-authored the press.
            let mayBeReauthored = laptops.contains {
                $0.hasReauthored && ($0.index == entry.laptop || $0.group == group && $0.hasLostPresses)
            }
            if mayBeReauthored {
                guard let label = fingerprint.label, !labels.contains(label) else { continue }
            }
            if stored.contains(entry.event) { continue }
            require(false, "no press is lost") {
                "laptop\(entry.laptop)'s \(entry.event.action) of \(entry.time / 1_000_000) s"
            }
        }
    }

    private func checkReplicas(of group: Int, _ laptop: Laptop, _ store: DeviceStore) throws {
        require(try !hasUnreadable(store), "a laptop can read its group's log") { laptop.name }
        let known = Set(try store.epochs().map(\.id)).intersection(try store.sealedEpochs())
        require(known.isEmpty, "what waits for a key waits for one that isn't here") {
            "\(laptop.name) has the keys of \(known)"
        }
        for replica in try store.replicas() {
            // Nobody can read events that a lying host brought over from another group's log.
            if host?.transplanted.contains(replica.id) == true { continue }
            require(ledger.groups[replica.id] ?? group == group, "nobody sees another group's events") {
                "\(laptop.name) has \(replica.id)"
            }
        }
    }

    private func checkSecrecy(of group: Int, _ laptop: Laptop, _ event: Event) {
        require(event.isPress(in: group), "nobody sees another group's events") {
            "\(laptop.name) has \(event.action)"
        }
    }
}

extension Event {
    /// Whether the event was pressed in this group, as far as its label says.
    fileprivate func isPress(in group: Int) -> Bool {
        guard let label = pressedLabel, label.first == "g",
            let named = Int(label.dropFirst().prefix { $0 != " " })
        else {
            return true
        }
        return named == group
    }
}

extension VersionVector {
    /// The vector without these replicas.
    fileprivate func without(_ replicas: Set<ReplicaID>) -> VersionVector {
        VersionVector(heads.filter { !replicas.contains($0.key) })
    }
}
