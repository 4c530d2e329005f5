import FocusCore
import FocusServerStore
import FocusSync
package import FocusWriter

extension Switchboard {
    /// Passes the outcome of a batch to the sessions.
    package func handle(_ commit: CommitOutcome) {
        metrics.count(commit.tally)
        isAllCounted = commit.tally.isAllCounted
        let arrivals = takeArrivals(answeredBy: commit.answers)
        commit.deliver(answer: handle, push: handle)
        if commit.isDrained { drained() }
        if !turns.areComing { takeTurns() }
        guard !arrivals.isEmpty else { return }
        let now = clock.steady()
        for arrival in arrivals { metrics.pushed(after: now - arrival) }
    }

    /// Removes the uploads that a batch answers from their connections, and counts the outcomes for metrics.
    ///
    /// - Returns: The instants at which these uploads arrived.
    private func takeArrivals(answeredBy outcomes: [WriterOutcome]) -> [SteadyInstant] {
        outcomes.compactMap { outcome in
            switch outcome {
            case .merged(_, _, let stop, let connection):
                if let stop { metrics.refused(stop.code) }
                return clients[connection]?.uploads.popFirst()
            case .answered(_, .refused(let refusal), _): metrics.refused(refusal.code)
            default: break
            }
            return nil
        }
    }

    private func handle(_ answers: [WriterOutcome]) {
        // Consecutive revocations are announced to each connection in one message.
        var revoked: [StoredDevice] = []
        for answer in answers {
            if case .device(let device) = answer {
                if handle(device) { revoked.append(device) }
            } else {
                shutOut(exchange(&revoked, with: []))
                handle(answer)
            }
        }
        shutOut(revoked)
    }

    private func handle(_ push: WriterPush) {
        switch push {
        case .events(let push, let head, let group):
            guard let feed = groups[group] else { return }
            feed.commit(push.replica, head)
            announce(.commit(push), to: feed)
        case .caughtUp(let connection): caughtUp(connection)
        }
    }

    private func handle(_ outcome: WriterOutcome) {
        switch outcome {
        case .merged(let replica, let head, let stop, let connection):
            tell(connection) { $0.merged(replica, head: head, stop: stop) }
        case .enrolled(let enrolled, let connection):
            guard let client = clients[connection] else { return }
            client.isNew = true
            // A known device may ask for another group; its connection is counted already.
            if doorway.contains(connection), let refusal = count(client, in: enrolled.group) {
                return perform(client.session.refuse(refusal), for: client)
            }
            tell(connection) { $0.enrolled(enrolled) }
        case .ended(let refusal, let connection): tell(connection) { $0.refuse(refusal) }
        case .answered(let number, let answer, let connection):
            tell(connection) { $0.answered(number, answer) }
        case .groupAdded(let log):
            // A group with this id may have just been deleted, with connections that are still in it.
            end(others(in: log.group))
            rosters.remove(log.group)
            groups[log.group] = GroupFeed(log)
        case .setBack(let log):
            beginAnew([log.group])
            groups[log.group] = GroupFeed(log)
        case .epochAdded(let record, let group, let connection):
            guard let feed = groups[group] else { return }
            feed.add(record)
            announce(.epoch(EncodedEpochRecord(record), but: connection), to: feed)
        case .reloaded(let devices, let groups):
            let lacking = rosters.groups(lacking: devices).intersection(groups)
            shutOut(devices.filter(handle))
            forget(allBut: devices, groups)
            beginAnew(lacking.sorted())
        case .notReloaded: orders = nil
        case .notNoted(let former): sightings.restore(former)
        case .roster(let devices):
            // Most devices are unchanged.
            let changed = devices.filter { !known.all(of: $0.key).isEmpty || !rosters.see($0) }
            shutOut(changed.filter(handle))
        case .device: break
        }
    }

    /// Accepts the machine's clock, because an operator says that it is right.
    private func acceptClock() {
        clock.accept()
        log.write(.info, "clock-accepted")
        // The greatest time served may be less than before; laptops that connect now may be served earlier
        // times.
        storage?.write(
            .note([:], greatestServed: clock.greatestServed, acceptances: clockAcceptances))
    }

    /// Applies a changed entry of a group's roster.
    ///
    /// - Returns: Whether the device has to be shut out.
    private func handle(_ device: StoredDevice) -> Bool {
        let before = rosters.put(device)
        if device.isProved, before?.isProved != true { takeHome(device) }
        refreshPresence(of: device, before)
        guard device.revoked != nil else {
            if before == nil { log.write(.info, "device-added", ["device": .text(device.key.short)]) }
            return false
        }
        guard before?.revoked == nil else { return false }
        log.write(.info, "device-revoked", ["device": .text(device.key.short)])
        return true
    }

    /// Updates the presence of a device that may have connected to another server, or disconnected from it.
    private func refreshPresence(of device: StoredDevice, _ before: StoredDevice?) {
        guard number != nil else { return }
        let here = connected(device.key).first { $0.group == device.group }
        if let here {
            guard device.revoked == nil else { return }
            // The device left the other server and is still connected here.
            if device.server == nil { see(device.key, in: device.group, on: here) }
            if isConnectedToAnotherServer(device) { unsettled.insert(device.group) }
        } else if isConnectedToAnotherServer(device) != before.map(isConnectedToAnotherServer) ?? false {
            announce(device.key, in: device.group)
        }
    }

    /// Records that a device belongs to this group from now on, and ends its connections in other groups.
    private func takeHome(_ device: StoredDevice) {
        for client in connected(device.key) {
            if client.group == device.group {
                see(device.key, in: device.group, on: client)
            } else if client.group != nil {
                perform(client.session.refuse(.otherGroup), for: client)
            }
        }
    }

    /// Announces revoked devices to their groups, with one message per connection. Ends the connections of
    /// the revoked devices that belonged to their group.
    private func shutOut(_ devices: [StoredDevice]) {
        guard !devices.isEmpty else { return }
        let keys = Dictionary(grouping: devices, by: \.group).mapValues { $0.map(\.key) }
        for device in devices where device.isProved {
            for client in connected(device.key) { perform(client.session.revoked(device.key), for: client) }
        }
        for group in devices.reduce(into: OrderedKeys<GroupID>(), { $0.append($1.group) }).all {
            for client in others(in: group) {
                perform(client.session.revoked(keys[group] ?? []), for: client)
            }
        }
    }

    /// Returns a known device's connections, the oldest first.
    private func connected(_ device: Digest) -> [Client] {
        known.all(of: device).compactMap { clients[$0] }
    }

    /// Forgets the devices and groups that are no longer in the store.
    private func forget(allBut devices: [StoredDevice], _ groups: Set<GroupID>) {
        let gone = Set(self.groups.keys).subtracting(groups)
        rosters.forget(allBut: devices)
        end(
            clients.all.filter { client in
                guard let group = client.group else { return false }
                return gone.contains(group) || rosters.device(client.device, in: group) == nil
            })
        for group in gone.sorted() {
            self.groups[group] = nil
            log.write(.info, "group-deleted", ["group": .text(group.short)])
        }
    }

    /// Ends the connections of groups that lost data in the store. When the laptops reconnect, they upload
    /// the data again.
    private func beginAnew(_ groups: [GroupID]) {
        let clients = groups.flatMap { others(in: $0) }
        for (place, client) in clients.enumerated() {
            let refusal = Refusal(
                .internal, "the server's store lacks what it had",
                retry: .after(Switchboard.comeback(place, of: clients.count)))
            perform(client.session.refuse(refusal), for: client)
        }
        for group in groups { log.write(.error, "group-set-back", ["group": .text(group.short)]) }
    }

    /// Ends these connections, because their group was deleted.
    private func end(_ clients: [Client]) {
        let refusal = Refusal(.unknownDevice, "this device's group was deleted from the server")
        for client in clients { perform(client.session.refuse(refusal), for: client) }
    }

    /// Passes an answer to a connection's session, if the connection still exists.
    private func tell(
        _ connection: ConnectionID, _ answer: (inout ServerSession) -> [ServerEffect]
    ) {
        guard let client = clients[connection] else { return }
        perform(answer(&client.session), for: client)
    }

    /// Passes the reader's answers to the sessions.
    package func handle(_ answers: [ReaderAnswer]) {
        storage?.read(.taken(answers.count))
        lookAtLines()
        for answer in answers {
            switch answer {
            case .events(let replica, let segment, let head, let connection):
                buffers.sentRead(to: connection)
                tell(connection) { $0.loaded(replica, segment, head: head) }
            case .chains(let replica, let heads, let connection):
                tell(connection) { $0.chains(replica, heads) }
            case .epochs(let records, let count, let connection):
                buffers.sentRead(to: connection)
                tell(connection) { $0.loaded(records, lookedUp: count) }
            case .orders(let found):
                if orders?.revision != found.revision { storage?.write(.reload) }
                orders = found
                let isAccepted = clockAcceptances != found.clockAcceptances
                clockAcceptances = found.clockAcceptances
                if isAccepted { acceptClock() }
            case .groups(let numbers, let connection): found(numbers, for: connection)
            case .failed(let connection):
                // A failed lookup doesn't show that the device is unknown, so its connection gets no refusal.
                unknownKeys.remove(connection)?.connection.abort()
                tell(connection) { $0.refuse(.unreadableLog) }
            }
        }
    }
}
